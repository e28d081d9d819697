#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <zmq.h>

#include <array>
#include <filesystem>
#include <memory>

#include "common/flux/curve.h"
#include "tests/flux_stand_in/overlay.h"
#include "tests/support/process.h"
#include "tests/support/stage.h"
#include "tests/support/temporary_folder.h"

// The program with one broker, and who is let in where there are more.
namespace mc::stand_in {
namespace {

using test::Outcome;
using ::testing::HasSubstr;

Outcome flux(const std::vector<std::string>& words,
             const std::map<std::string, std::string>& environment = {}) {
  std::vector<std::string> command = {FLUX_STAND_IN};
  command.insert(command.end(), words.begin(), words.end());
  test::ProcessOptions options;
  options.environment = environment;
  const std::string folder = std::filesystem::path(FLUX_STAND_IN).parent_path();
  options.environment["PATH"] = folder + ":/usr/bin:/bin";
  return test::run(command, options, std::chrono::seconds(20));
}

// A line of shell as the program of a broker that is alone.
Outcome alone(const std::string& line) { return flux({"start", line}); }

TEST(OneBroker, ItsProgramsCodeIsItsOwn) {
  EXPECT_EQ(alone("exit 0").code, 0);
  EXPECT_EQ(alone("exit 7").code, 7);
  EXPECT_EQ(flux({"start", "no-such-program", "x"}).code, 127);
  EXPECT_EQ(alone("kill -TERM $PPID; sleep 20").code, 129);
  EXPECT_EQ(alone("flux shutdown; sleep 20").code, 129);
}

TEST(OneBroker, WithoutAProgramNeedsATerminal) {
  const Outcome outcome = flux({"start"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("stdin is not a tty - can't run interactive shell"));
}

TEST(OneBroker, TakesTheWordsOfTheEntryPoints) {
  EXPECT_EQ(flux({"start", "--wrap=env,A=b", "-o", "-Slog-stderr-level=6", "-Sbroker.quorum=1",
                  "printenv", "A"})
                .out,
            "b\n");
  const Outcome outcome = flux({"start", "-Sbogus=1", "true"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("bogus: unknown attribute"));
  EXPECT_EQ(flux({"broker", "--bogus"}).code, 1);
}

TEST(Jobs, SubmitPrintsIdOrOutputAndGivesTheHighestCode) {
  EXPECT_EQ(alone("flux submit true").out, "f1\n");
  EXPECT_EQ(alone("flux submit --quiet --watch echo hello").out, "hello\n");
  EXPECT_EQ(alone("flux run sh -c 'echo a; echo b >&2; exit 3'").code, 3);
  EXPECT_EQ(alone("flux run sh -c 'kill -9 $$'").code, 137);
  EXPECT_EQ(alone("flux run no-such-program").code, 127);
  EXPECT_EQ(alone("flux run --env=X='a  b' -o opt --job-name=x sh -c 'echo \"$X\"'").out, "a  b\n");
  EXPECT_EQ(alone("flux run --bogus true").code, 2);
}

TEST(Jobs, ThatCanNeverRunSaySo) {
  const Outcome outcome = alone("flux run -N2 true");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("unsatisfiable request"));
}

TEST(Jobs, AreWaitedForAndListed) {
  EXPECT_EQ(alone("id=$(flux submit sh -c 'exit 5'); flux job status $id").code, 5);
  EXPECT_EQ(alone("flux submit --flags=waitable sh -c 'exit 5'; flux job wait --all").code, 1);
  EXPECT_EQ(alone("flux submit --flags=waitable true; flux job wait --all").code, 0);
  EXPECT_EQ(alone("id=$(flux submit echo late); flux queue idle; flux job attach $id").out,
            "late\n");
  EXPECT_THAT(alone("flux submit false; flux queue idle; flux jobs -a").out,
              ::testing::ContainsRegex("f1 false +F +1"));
}

TEST(Jobs, BatchKeepsItsOwnApart) {
  const Outcome outcome = alone(
      "cd $(mktemp -d); printf '#!/bin/sh\\nflux submit --output=inner.out echo in\\n"
      "flux queue idle; flux jobs -a; exit 4\\n' >s.sh; flux submit --quiet sleep 0;"
      "id=$(flux batch -n1 s.sh); flux job status $id; echo code $?; cat inner.out flux-*.out; rm "
      "-rf \"$PWD\"");
  EXPECT_THAT(outcome.out, HasSubstr("code 4\nin\n")) << outcome.err;
  EXPECT_THAT(outcome.out, ::testing::ContainsRegex("echo +CD"));
  EXPECT_EQ(alone("cd /proc; printf '#!/bin/sh\\n' >/tmp/s.$$; flux batch --output=/proc/x "
                  "/tmp/s.$$ >/dev/null; rm /tmp/s.$$; flux job status f1")
                .code,
            1);
}

TEST(Commands, ExecRunsOnRanksAndProxyFindsTheBroker) {
  EXPECT_EQ(alone("flux exec -n -r all sh -c 'exit 6'").code, 6);
  EXPECT_EQ(alone("uri=$FLUX_URI; unset FLUX_URI; flux proxy $uri flux getattr size").out, "1\n");
  EXPECT_EQ(alone("flux getattr nothing").code, 1);
  const Outcome outcome = flux({"jobs"}, {{"FLUX_URI", "local:///no/socket"}});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("Unable to connect to Flux"));
}

TEST(Commands, CallsAreRecorded) {
  const test::TemporaryFolder folder;
  flux({"R", "encode", "--hosts=a b"}, {{"FLUX_STAND_IN_RECORD", folder.path().string()}});
  const json call = json::parse(test::read_file(folder / "calls"));
  EXPECT_EQ(call["argv"], json::array({"R", "encode", "--hosts=a b"}));
  EXPECT_GT(call["monotonic_ms"], 0);
  EXPECT_EQ(call["env"]["FLUX_STAND_IN_RECORD"], folder.path().string());
}

Config config(std::size_t rank, const std::string& endpoint, const flux::CurveKeys& keys) {
  Config out;
  out.hosts = {"a", "b"};
  out.rank = rank;
  out.bind = out.connect = endpoint;
  out.keys = keys;
  return out;
}

// Whether a message of `follower` arrives at `lead` within `ms`.
bool arrives(Overlay& lead, Overlay& follower, int ms) {
  for (int waited = 0; waited < ms; waited += 20) {
    follower.send("", {{"type", "hello"}});
    lead.wait({}, 20);
    if (lead.receive()) return true;
  }
  return false;
}

TEST(Overlay, LetsInWhoHasTheKeyAlsoWhenTheLeadIsLate) {
  const std::string endpoint = "tcp://127.0.0.1:" + std::to_string(test::free_port());
  const flux::CurveKeys keys = flux::generate_curve_keys();
  auto follower = Overlay::open(config(1, endpoint, keys), 0);
  ASSERT_TRUE(follower);
  follower->wait({}, 300);  // nobody listens
  auto lead = Overlay::open(config(0, endpoint, keys), 0);
  ASSERT_TRUE(lead) << lead.error().message;
  EXPECT_TRUE(arrives(*lead, *follower, 5000));
}

TEST(Overlay, KeepsOutWhoHasAnotherKey) {
  const std::string endpoint = "tcp://127.0.0.1:" + std::to_string(test::free_port());
  const flux::CurveKeys keys = flux::generate_curve_keys();
  auto lead = Overlay::open(config(0, endpoint, keys), 0);
  auto other = Overlay::open(config(1, endpoint, flux::generate_curve_keys()), 0);
  ASSERT_TRUE(lead);
  ASSERT_TRUE(other);
  EXPECT_FALSE(arrives(*lead, *other, 600));
}

// Even one who knows the lead's public key: a message gets through only with the lead's own pair.
TEST(Overlay, KeepsOutWhoKnowsOnlyThePublicKey) {
  const std::string endpoint = "tcp://127.0.0.1:" + std::to_string(test::free_port());
  const flux::CurveKeys keys = flux::generate_curve_keys();
  auto lead = Overlay::open(config(0, endpoint, keys), 0);
  ASSERT_TRUE(lead);
  for (const bool ours : {false, true}) {
    using Handle = std::unique_ptr<void, int (*)(void*)>;
    const Handle context(zmq_ctx_new(), zmq_ctx_term);
    const Handle socket(zmq_socket(context.get(), ZMQ_DEALER), zmq_close);
    const flux::CurveKeys own = ours ? keys : flux::generate_curve_keys();
    const int no_linger = 0;
    zmq_setsockopt(socket.get(), ZMQ_LINGER, &no_linger, sizeof no_linger);
    const auto set = [&](int option, const std::string& text) {
      ASSERT_EQ(zmq_setsockopt(socket.get(), option, text.c_str(), text.size()), 0);
    };
    set(ZMQ_CURVE_SERVERKEY, keys.public_key);
    set(ZMQ_CURVE_PUBLICKEY, own.public_key);
    set(ZMQ_CURVE_SECRETKEY, own.secret_key);
    ASSERT_EQ(zmq_connect(socket.get(), endpoint.c_str()), 0);
    zmq_send(socket.get(), "{}", 2, 0);
    bool arrived = false;
    for (int i = 0; i < (ours ? 250 : 30) && !arrived; ++i) {
      lead->wait({}, 20);
      arrived = lead->receive().has_value();
    }
    EXPECT_EQ(arrived, ours);
  }
}

}  // namespace
}  // namespace mc::stand_in
