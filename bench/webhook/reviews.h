#pragma once
#include <string>
#include <vector>

namespace mc::bench {

struct Review {
  std::string name, path;  // of the webhook
  std::string body;        // an AdmissionReview
  bool allowed = true;
};

// A MiniCluster as a user writes it and as it is after /mutate, one of 200 KiB, and one with 100
// errors; as the API server sends them.
std::vector<Review> reviews();

}  // namespace mc::bench
