#pragma once
#include <memory>
#include <string>

namespace httplib {
class ClientImpl;
}

namespace mc::kube {

class Tls;

// An HTTP client with a TLS connection to the server of `tls`. If the server's certificate is
// refused, `refusal` says why; both must outlive the client.
//
// httplib's own, SSLClient, reads heads byte by byte through OpenSSL, some 500 instructions for
// each; reads what follows an answer as the answer to the next request; and takes a body without a
// length for whole when anybody cuts the connection. Here, a connection with more than the answer
// is closed, and an end that the server did not announce is a failure. (SSLClient cannot be derived
// from: it is final in 0.18.)
std::unique_ptr<httplib::ClientImpl> make_tls_client(const std::string& host, int port,
                                                     const Tls& tls, std::string& refusal);

}  // namespace mc::kube
