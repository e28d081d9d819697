#include "e2e/stories/pod_story.h"

#include "common/base/text.h"
#include "e2e/stories/installation.h"
#include "e2e/stories/secrets.h"
#include "tests/support/minicluster.h"

namespace mc::e2e {

json minicluster(const std::string& name, int size, const std::string& command, const json& spec,
                 Flux flux) {
  const bool view = flux == Flux::kByView;
  json object = test::minicluster(
      name, {{"size", size},
             {"flux", {{"container", {{"image", view ? kFluxViewImage : kFluxImage}}}}},
             {"containers", {{{"image", view ? kApplicationImage : kFluxImage}}}}});
  if (!view) object["spec"]["flux"]["container"]["disable"] = true;
  if (!command.empty()) container(object)["command"] = command;
  object.at("spec").merge_patch(spec);
  return object;
}

std::string name_of(const ::testing::TestParamInfo<Flux>& instance) {
  return instance.param == Flux::kByView ? "ByView" : "InImage";
}

std::string sh(const std::string& lines) { return "sh -c '" + lines + "'"; }

std::string lost_once(const std::string& name) {
  const std::string mark = "/marks/" + name + "-$FLUX_TASK_RANK";
  return "if [ -e " + mark + " ]; then echo the second time; else touch " + mark +
         "; sleep 600; fi";
}

bool wait_to_be_lost(const std::string& name, const NodeFolder& marks) {
  return test::eventually(
      [&] {
        return std::filesystem::exists(marks.path() / (name + "-0")) &&
               std::filesystem::exists(marks.path() / (name + "-1"));
      },
      std::chrono::seconds(300));
}

json& container(json& cluster) { return cluster.at("/spec/containers/0"_json_pointer); }

PodStory::PodStory()
    : own_(std::in_place, test::Kubectl::from_environment()), kubectl(own_->kubectl()) {}

PodStory::PodStory(const test::Namespace& shared) : kubectl(shared.kubectl()) {}

bool PodStory::waits_for(const std::string& object, const std::string& what,
                         std::chrono::seconds limit) const {
  const Outcome outcome =
      kubectl({"wait", object, "--for=" + what, "--timeout=" + std::to_string(limit.count()) + "s"},
              "", limit + std::chrono::seconds(10));
  EXPECT_EQ(outcome.code, 0) << object << " has no " << what << ": " << outcome.err << everything();
  return outcome.code == 0;
}

bool PodStory::reaches(const std::string& name, const std::string& type,
                       std::chrono::seconds limit) const {
  return waits_for("minicluster/" + name, "condition=" + type, limit);
}

bool PodStory::succeeds(const std::string& pod, std::chrono::seconds limit) const {
  return waits_for("pod/" + pod, "jsonpath={.status.phase}=Succeeded", limit);
}

json PodStory::pod(const std::string& name, int index) const {
  const json pods = kubectl.items(
      {"pods", "-l",
       "job-name=" + name + ",batch.kubernetes.io/job-completion-index=" + std::to_string(index)});
  for (const json& item : pods) {
    const std::string phase = item.at("status").value("phase", "");
    if (!item.at("metadata").contains("deletionTimestamp") && phase != "Failed") return item;
  }
  return pods.empty() ? json() : pods.back();
}

std::string PodStory::pod_name(const std::string& name, int index) const {
  const json found = pod(name, index);
  EXPECT_TRUE(found.is_object()) << "no pod of index " << index << everything();
  return found.is_object() ? found.at("metadata").at("name").get<std::string>() : "";
}

std::string PodStory::log(const std::string& name, int index, const std::string& of) const {
  const json found = pod(name, index);
  if (!found.is_object()) return "";
  std::vector<std::string> arguments = {"logs", found.at("metadata").at("name")};
  if (!of.empty()) arguments.insert(arguments.end(), {"-c", of});
  return kubectl(arguments).out;
}

bool PodStory::log_has(const std::string& name, int index, const std::string& text) const {
  const bool has =
      test::eventually([&] { return log(name, index).find(text) != std::string::npos; },
                       std::chrono::seconds(90));  // on a busy machine
  EXPECT_TRUE(has) << "no `" << text << "` in the log of " << name << "-" << index << everything();
  return has;
}

Outcome PodStory::exec(const std::string& name, int index, const std::string& script) const {
  return kubectl({"exec", pod_name(name, index), "--", "bash", "-c", script});
}

std::string PodStory::reason(const std::string& name, const std::string& type) const {
  const json cluster = kubectl.get({"minicluster", name});
  if (!cluster.is_object()) return "";
  for (const json& item : cluster.value("/status/conditions"_json_pointer, json::array())) {
    if (item.at("type") != type) continue;
    return item.value("reason", "") + ": " + item.value("message", "");
  }
  return "";
}

std::string PodStory::ready_becomes(const std::string& name, const std::string& wanted,
                                    std::chrono::seconds limit) const {
  std::string said;
  EXPECT_TRUE(test::eventually(
      [&] {
        said = reason(name, "Ready");
        return said.starts_with(wanted + ": ");
      },
      limit))
      << said << everything();
  return said;
}

bool PodStory::gone(const std::vector<std::string>& pods, std::chrono::seconds limit) const {
  std::vector<std::string> arguments = {"wait", "--for=delete",
                                        "--timeout=" + std::to_string(limit.count()) + "s"};
  for (const std::string& pod : pods) arguments.push_back("pod/" + pod);
  const Outcome outcome = kubectl(arguments, "", limit + std::chrono::seconds(10));
  const bool gone = outcome.code == 0 || outcome.err.find("NotFound") != std::string::npos;
  EXPECT_TRUE(gone) << outcome.err << everything();
  return gone;
}

Outcome PodStory::ask_flux(const std::string& name, const std::string& script) const {
  return kubectl({"exec", "-i", pod_name(name, 0), "--", "bash", "/mnt/flux/flux-connect.sh"},
                 script + "\n");
}

std::string PodStory::answer(const std::string& name, const std::string& script) const {
  return std::string(trimmed(ask_flux(name, script).out));
}

std::string PodStory::flux_answers(const std::string& name, const std::string& script,
                                   const std::string& text) const {
  Outcome outcome;
  const bool has = test::eventually(
      [&] {
        if (!pod(name, 0).is_object()) return false;
        outcome = ask_flux(name, script);
        return outcome.out.find(text) != std::string::npos;
      },
      std::chrono::seconds(60));
  EXPECT_TRUE(has) << "no `" << text << "` in: " << outcome.out << outcome.err << everything();
  return outcome.out;
}

constexpr const char* kNodeStates =
    "custom-columns=NODE:.metadata.name,TAINTS:.spec.taints[*].key,"
    "CONDITIONS:.status.conditions[?(@.status!=\"False\")].type";

std::string PodStory::everything() const {
  // The nodes first: a full disk or a node that is not ready explains all else.
  std::string text = "\n" + kubectl({"get", "nodes", "-o", kNodeStates}).out +
                     kubectl({"get", "miniclusters,jobs,pods,events", "-o", "wide"}).out;
  for (const json& item : kubectl.items({"pods"})) {
    const std::string name = item.at("metadata").at("name");
    text += "--- " + name + "\n" +
            kubectl({"logs", name, "--all-containers", "--prefix", "--tail=60"}).out;
  }
  return text;
}

void PodStory::TearDown() {
  if (own_) expect_secrets_are_nowhere(kubectl, Installation::get().kubectl());
}

// World-writable, because the pods' users differ.
NodeFolder::NodeFolder() { std::filesystem::permissions(path(), std::filesystem::perms::all); }

json NodeFolder::volume(const std::string& where) const {
  return {{"hostPath", path().string()}, {"path", where}};
}

SharedNamespace::~SharedNamespace() {
  expect_secrets_are_nowhere(kubectl(), Installation::get().kubectl());
}

}  // namespace mc::e2e
