#pragma once
#include <string>
#include <string_view>

#include "common/api/examine.h"

// admission.k8s.io/v1, pure: the bytes of an AdmissionReview in, those of the answer out.
namespace mc::webhook {

enum class Mode {
  Mutate,    // answers with the patch that fills in defaults; refuses what is wrong already here,
             // so that a user sees every error at once
  Validate,  // says the same of what others changed since, and never patches
};

struct Answer {
  std::string body;     // an AdmissionReview
  std::string refusal;  // the Status reason when not allowed (respond.h), else ""
  // For the log; "" where the request did not say.
  std::string uid;
  std::string operation;
  std::string name;
  std::string namespace_;
};

// CREATE and UPDATE of a MiniCluster are examined; DELETE, CONNECT and subresources pass untouched.
// A request that cannot be understood is refused with code 400 and says why. The same bytes give
// the same answer: nothing else is read or changed, dry run or not.
Answer review(Mode mode, std::string_view body,
              api::FieldValidation fields = api::FieldValidation::Strict);

// The answer to a request whose handling failed on our side: refused with code 500.
Answer failed(std::string_view body);

}  // namespace mc::webhook
