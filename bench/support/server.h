#pragma once
#include <sys/types.h>

#include <chrono>
#include <string>
#include <vector>

namespace mc::bench {

// A program that runs as a process of its own and serves on a loopback port.
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
  // How long its threads, those that live, were ready to run and had no processor
  // (sched-stats.rst).
  double waited_seconds() const;
  // As in proc_pid_status(5), in MiB.
  double anonymous_mib() const { return status_mib("RssAnon:"); }
  double resident_mib() const { return status_mib("VmRSS:"); }
  double peak_mib() const { return status_mib("VmHWM:"); }

 private:
  double status_mib(const std::string& field) const;

  std::string name_;
  int port_;
  pid_t pid_;
  std::chrono::duration<double> start_took_{};
};

// Runs a program to its end, with our standard error. Throws unless its exit code is 0.
void run_to_end(const std::vector<std::string>& command);

}  // namespace mc::bench
