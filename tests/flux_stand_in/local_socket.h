#pragma once
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/base/json.h"
#include "common/base/result.h"

// The connection of the subcommands to a broker on the same machine: JSON lines on a Unix socket.
namespace mc::stand_in {

// The broker's side.
class LocalSocket {
 public:
  LocalSocket() = default;
  [[nodiscard]] static Result<LocalSocket> listen(const std::string& path);
  LocalSocket(LocalSocket&& other) noexcept;
  LocalSocket& operator=(LocalSocket&& other) noexcept;
  ~LocalSocket();  // removes the socket

  // The received requests, with their clients (numbers that are never reused). Does not block.
  std::vector<std::pair<int, json>> requests();
  // Does nothing if the client has disconnected.
  void send(int client, const json& answer);

  std::vector<int> fds() const;

 private:
  std::string path_;
  int listener_ = -1;
  struct Client {
    int fd;
    std::string partial;  // the part of the next line read so far
  };
  std::map<int, Client> clients_;
  int next_ = 0;
};

// The subcommand's side.
class Connection {
 public:
  // `uri` is local://PATH.
  [[nodiscard]] static Result<Connection> open(const std::string& uri);
  Connection(Connection&& other) noexcept;
  ~Connection();

  void send(const json& request);
  // Nothing if the broker has disconnected.
  std::optional<json> receive();

 private:
  explicit Connection(int fd) : fd_(fd) {}
  int fd_;
  std::string partial_;
};

}  // namespace mc::stand_in
