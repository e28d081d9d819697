#pragma once
#include <chrono>
#include <cstddef>

struct ssl_st;
struct ssl_ctx_st;

// What one TLS connection may send, which the HTTP library does not bound: the number of headers,
// bodies without a length, and requests that never end.
namespace mc::observe::connection {

// Time for one whole request, the handshake of the first included. An API server waits for a
// webhook 30 s at most.
inline constexpr std::chrono::seconds kRequestTime{30};
// Bytes of all headers of a request, and of the handshake.
inline constexpr std::size_t kHeaderBytes = std::size_t{64} * 1024;

// The calling thread begins to serve another connection; one thread serves one at a time.
void opened();

// From now on the calling thread's connection may send this many bytes more for its request.
void expect(std::size_t bytes);

// A request has been answered: the next one has its own time and bytes.
void answered();

// Counts every record that the context's connections receive; one that exceeds its bounds is shut.
void watch(ssl_ctx_st& context);

// Waits for the next request of the calling thread's connection without using the processor. True
// when there is something to read; false when `timeout` passed or `wake`, an event file descriptor,
// is set: the connection is shut then.
bool wait_readable(const ssl_st& ssl, int wake, std::chrono::milliseconds timeout);

}  // namespace mc::observe::connection
