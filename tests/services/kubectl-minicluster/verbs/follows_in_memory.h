#pragma once
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <csignal>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <ostream>
#include <sstream>
#include <streambuf>
#include <string>

#include "common/api/model/names.h"
#include "common/base/guarded.h"
#include "services/kubectl-minicluster/client/mailbox.h"
#include "services/kubectl-minicluster/client/session.h"
#include "services/kubectl-minicluster/client/terminal.h"
#include "tests/services/kubectl-minicluster/verbs/kubectl_script.h"
#include "tests/services/kubectl-minicluster/verbs/memory_cluster.h"
#include "tests/services/kubectl-minicluster/verbs/run_messages.h"
#include "tests/support/eventually.h"
#include "tests/support/folders.h"
#include "tests/support/must.h"

namespace mc::kubectl {

// What one thread writes and another reads.
class SharedText final : public std::streambuf {
 public:
  std::string text() const {
    return text_.with([](const std::string& text) { return text; });
  }

 private:
  int_type overflow(int_type c) override {
    text_.with([&](std::string& text) { text += traits_type::to_char_type(c); });
    return c;
  }
  std::streamsize xsputn(const char* piece, std::streamsize size) override {
    text_.with([&](std::string& text) { text.append(piece, static_cast<std::size_t>(size)); });
    return size;
  }

  Guarded<std::string> text_;
};

// A MiniCluster of four pods.
inline json lammps(const json& condition = nullptr, const json& exit_code = nullptr) {
  json out = {{"apiVersion", api::kApiVersion},
              {"kind", api::kKind},
              {"metadata", {{"name", "lammps"}, {"namespace", "a"}, {"uid", "u"}}},
              {"spec", {{"size", 4}}},
              {"status", {{"phase", "Starting"}}}};
  if (!condition.is_null()) out["status"]["conditions"] = json::array({condition});
  if (!exit_code.is_null()) out["status"]["exitCode"] = exit_code;
  return out;
}

// Its lead, whose container is in this state.
inline json lead_pod(const json& state) {
  return {{"apiVersion", "v1"},
          {"kind", "Pod"},
          {"metadata",
           {{"name", "lammps-0-x7k2p"},
            {"namespace", "a"},
            {"uid", "p"},
            {"creationTimestamp", "2026-01-01T00:00:00Z"},
            {"labels", {{api::kJobIndexLabel, "0"}}}}},
          {"spec", {{"nodeName", "node-1"}}},
          {"status",
           {{"containerStatuses",
             {{{"name", "lammps"}, {"restartCount", 0}, {"imageID", ""}, {"state", state}}}}}}};
}

// A verb that follows MiniClusters, with an API server in memory.
class FollowsInMemory : public ::testing::Test {
 protected:
  FollowsInMemory() {
    ::signal(SIGPIPE, SIG_IGN);
    ::mkfifo(script_.path("end").c_str(), 0600);
    script_.set(
        "case \"$*\" in *'proxy '*) echo listens; read -r _ <end; echo 'error: no more' >&2; esac");
    const Kubectl kubectl = script_.program();
    session_.emplace(kubectl, "a", test::must(Proxy::start(kubectl, {})), std::move(transport_));
  }

  void TearDown() override {
    if (!code_.valid()) return;
    cluster_.remove(lammps());
    mailbox_.signal(SIGQUIT);
    ADD_FAILURE() << "it does not end: " << said_.text();
  }

  // Begins it in a thread.
  void begin(std::function<int()> verb) { code_ = std::async(std::launch::async, std::move(verb)); }

  // Waits for this line on the standard error.
  void says(const std::string& line) {
    EXPECT_TRUE(test::eventually([&] { return said_.text().contains(line + "\n"); }))
        << line << " is not in\n"
        << said_.text();
  }

  // The exit code.
  int end() {
    if (code_.wait_for(std::chrono::seconds(20)) != std::future_status::ready) return -1;
    for (const std::string& line : test::lines_of(said_.text())) collect_run_message(line);
    return code_.get();
  }

  const KubectlScript script_;
  SharedText said_;
  std::ostringstream out_;
  std::ostream err_{&said_};
  const Terminal terminal_{.out = out_, .err = err_};
  Mailbox mailbox_;  // of the verb's signals
  std::unique_ptr<MemoryCluster> transport_ = std::make_unique<MemoryCluster>();
  MemoryCluster& cluster_ = *transport_;
  std::optional<Session> session_;
  std::future<int> code_;
};

}  // namespace mc::kubectl
