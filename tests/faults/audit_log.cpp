#include "tests/faults/audit_log.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <set>

#include "common/base/json.h"
#include "tests/faults/replica.h"

namespace mc::test {
namespace {

// Times are RFC 3339 in UTC with six fractional digits, which compare as strings.
struct Entry {
  std::string received, answered;
  std::string agent, verb, resource, name;
  std::string holder;  // of a Lease
};

std::string microseconds(std::string time) {
  const std::size_t point = time.find('.');
  if (point == std::string::npos) return time.substr(0, time.size() - 1) + ".000000Z";
  time.pop_back();
  time.resize(point + 7, '0');
  return time + "Z";
}

bool is_replica(const Entry& entry) { return entry.agent.starts_with(kAgent); }

// The replicas' successful writes in the namespace, and the deletions by anybody, such as the
// garbage collector.
std::vector<Entry> entries(const std::filesystem::path& log, const std::string& space) {
  std::vector<Entry> out;
  std::ifstream file(log);
  for (std::string line; std::getline(file, line);) {
    if (line.find(space) == std::string::npos || line.find("dryRun=All") != std::string::npos) {
      continue;
    }
    const json event = json::parse(line, nullptr, false);
    const auto code = integer_at(event, {"responseStatus", "code"});
    if (text_at(event, {"objectRef", "namespace"}) != space || code < 200 || code > 299) continue;
    Entry entry{microseconds(text_at(event, {"requestReceivedTimestamp"})),
                microseconds(text_at(event, {"stageTimestamp"})),
                text_at(event, {"userAgent"}),
                text_at(event, {"verb"}),
                text_at(event, {"objectRef", "resource"}),
                text_at(event, {"objectRef", "name"}),
                text_at(event, {"requestObject", "spec", "holderIdentity"})};
    if (is_replica(entry) || entry.verb == "delete") out.push_back(std::move(entry));
  }
  std::ranges::stable_sort(out, {}, &Entry::received);
  return out;
}

std::string words(const Entry& entry) {
  return entry.received + " " + entry.agent + " " + entry.verb + " " + entry.resource + "/" +
         entry.name;
}

void one_writer(const std::vector<Entry>& all, std::vector<std::string>& out) {
  std::vector<const Entry*> claims;
  for (const Entry& entry : all) {
    if (entry.resource == "leases") claims.push_back(&entry);
  }
  std::ranges::stable_sort(claims, {}, &Entry::answered);
  auto next = claims.begin();
  std::string leader;
  for (const Entry& entry : all) {
    for (; next != claims.end() && (*next)->answered <= entry.received; ++next) {
      leader = (*next)->holder.empty() ? "nobody" : (*next)->agent;
    }
    if (entry.resource == "leases" || entry.agent == leader || !is_replica(entry)) continue;
    out.push_back(words(entry) + " while " + leader + " led");
  }
}

void nothing_twice(const std::vector<Entry>& all, std::vector<std::string>& out) {
  std::map<std::string, const Entry*> there;
  std::set<std::string> jobs;
  for (const Entry& entry : all) {
    if (entry.resource == "leases") continue;
    const std::string what = entry.resource + "/" + entry.name;
    if (entry.verb == "delete") there.erase(what);
    if (entry.verb != "create") continue;
    const auto [first, is_first] = there.emplace(what, &entry);
    if (!is_first) out.push_back(words(entry) + " again, after " + words(*first->second));
    if (entry.resource == "jobs" && !jobs.insert(what).second) {
      out.push_back(words(entry) + " a second time");
    }
  }
}

}  // namespace

std::vector<std::string> blame(const std::filesystem::path& log, const std::string& space) {
  const std::vector<Entry> all = entries(log, space);
  std::vector<std::string> out;
  if (std::ranges::none_of(all, is_replica)) out.push_back("no replica wrote anything in " + space);
  one_writer(all, out);
  nothing_twice(all, out);
  return out;
}

}  // namespace mc::test
