#include "common/base/base64.h"
#include "common/base/json.h"
#include "services/webhook/parsed_review.h"
#include "services/webhook/review.h"
#include "tests/fuzz/secrets.h"
#include "tests/fuzz/targets.h"

namespace mc::fuzz {
namespace {

using webhook::Mode;

// A hundred truncated errors, reported twice, and a patch that grows with the object.
std::size_t most_bytes(std::size_t asked) { return 1'000'000 + 16 * asked; }

json read(const webhook::AdmissionResponse& answer, std::size_t asked) {
  const json review = json::parse(answer.body, nullptr, false);
  require(text_at(review, {"kind"}) == "AdmissionReview", "the answer is an AdmissionReview");
  require(text_at(review, {"response", "uid"}) == answer.uid, "it is that of the question");
  const json& allowed = at_path(review, {"response", "allowed"});
  require(allowed.is_boolean() && allowed == answer.refusal.empty(), "a refusal has a reason");
  require(answer.body.size() < most_bytes(asked), "the answer is bounded by the question");
  return review.at("response");
}

json patched(const json& object, const json& response) {
  if (!response.contains("patch")) return object;
  const json patch = json::parse(*base64_decoded(response["patch"].get<std::string>()));
  for (const json& one : patch) {
    require(one["op"] == "add" || one["op"] == "replace", "a patch removes nothing");
  }
  return object.patch(patch);
}

// The fast reader and nlohmann's agree.
void read_alike(std::string_view input) {
  const auto parsed = webhook::parse_review(input);
  if (!parsed && parsed.error() != "body is not JSON") return;  // it is too much
  const json whole = json::parse(input, nullptr, false);
  require(parsed.has_value() != whole.is_discarded(), "JSON is JSON to both");
  if (!parsed) return;
  for (const char* side : {"object", "oldObject"}) {
    require(
        at_path(*parsed, {"request", side, "spec"}) == at_path(whole, {"request", side, "spec"}),
        "and says the same");
  }
}

void ask_both(const json& review) {
  const std::string body = review.dump();
  const webhook::AdmissionResponse answer = webhook::review(Mode::Mutate, body);
  const json response = read(answer, body.size());
  const std::string told = response.dump();
  require(!shows_secret(told), "an answer shows nothing secret: " + told.substr(0, 4000));
  if (response["allowed"] != true) return;
  json second = review;
  second["request"]["object"] = patched(at_path(review, {"request", "object"}), response);
  const json again = read(webhook::review(Mode::Mutate, second.dump()), body.size());
  require(again["allowed"] == true, "what is accepted is accepted with its defaults");
  require(!again.contains("patch"), "nothing is to be added to what has its defaults");
  const json valid = read(webhook::review(Mode::Validate, second.dump()), body.size());
  require(valid["allowed"] == true, "/validate accepts what /mutate does");
}

}  // namespace

void admission_review(std::string_view input) {
  read_alike(input);
  const webhook::AdmissionResponse answer =
      webhook::review(Mode::Validate, input, webhook::UnknownFields::AreWarnings);
  (void)read(answer, input.size());
  (void)read(webhook::failed(input), input.size());
  json review = json::parse(input, nullptr, false);
  // Only a valid review has an object.
  if (answer.refusal == "BadRequest" || !at_path(review, {"request", "object"}).is_object()) return;
  if (shows_secret(dump(review))) return;
  json& request = review["request"];
  for (const char* side : {"object", "oldObject"}) {
    if (request.contains(side)) request[side] = with_marks(std::move(request[side]));
  }
  ask_both(review);
}

}  // namespace mc::fuzz
