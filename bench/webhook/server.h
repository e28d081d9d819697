#pragma once
#include <sys/types.h>

#include <chrono>
#include <string>
#include <vector>

namespace mc::bench {

// A webhook that runs as a process of its own on a loopback port.
class Server {
 public:
  // Returns once it accepts connections. Throws if it cannot be started.
  Server(std::string name, const std::vector<std::string>& command, int port);
  ~Server();  // ends it with SIGTERM
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  const std::string& name() const { return name_; }
  int port() const { return port_; }
  std::chrono::duration<double> start_took() const { return start_took_; }

  // User and system CPU time since its start.
  double cpu_seconds() const;
  double anonymous_mib() const;  // RssAnon

 private:
  std::string name_;
  int port_;
  pid_t pid_;
  std::chrono::duration<double> start_took_{};
};

}  // namespace mc::bench
