#pragma once
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/base/json.h"
#include "common/base/result.h"

// How the sub-commands talk to a broker of their machine: JSON, a line each, on a unix socket.
namespace mc::stand_in {

// The broker's end.
class LocalSocket {
 public:
  LocalSocket() = default;
  [[nodiscard]] static Result<LocalSocket> listen(const std::string& path);
  LocalSocket(LocalSocket&& other) noexcept;
  LocalSocket& operator=(LocalSocket&& other) noexcept;
  ~LocalSocket();  // takes the socket away

  // What came in: client (a number that is never used again) and request. Does not block.
  std::vector<std::pair<int, json>> requests();
  // Nothing happens when the client has gone.
  void send(int client, const json& answer);

  std::vector<int> fds() const;

 private:
  std::string path_;
  int listener_ = -1;
  struct Client {
    int fd;
    std::string partial;  // what was read of the next line
  };
  std::map<int, Client> clients_;
  int next_ = 0;
};

// The other end.
class Connection {
 public:
  // `uri` is local://PATH.
  [[nodiscard]] static Result<Connection> open(const std::string& uri);
  Connection(Connection&& other) noexcept;
  ~Connection();

  void send(const json& request);
  // Nothing when the broker has gone.
  std::optional<json> receive();

 private:
  explicit Connection(int fd) : fd_(fd) {}
  int fd_;
  std::string partial_;
};

}  // namespace mc::stand_in
