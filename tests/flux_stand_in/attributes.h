#pragma once
#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "common/base/result.h"

// A broker's attributes (-S) and folders, refused as flux-core 0.88 refuses them.
namespace mc::stand_in {

class Attributes {
 public:
  // `NAME` or `NAME=VALUE`. Invalid: a name that no broker knows, or a value it ends with.
  [[nodiscard]] Result<void> set(std::string_view assignment);

  bool has(std::string_view name) const { return values_.contains(name); }
  // "" where it is not set.
  std::string get(std::string_view name) const;

 private:
  std::map<std::string, std::string, std::less<>> values_;
};

// How many of `size` brokers must be up: broker.quorum, or all.
[[nodiscard]] Result<std::size_t> quorum(const Attributes& attributes, std::size_t size);

// `5s`, `500ms`, `5` and the like (Flux Standard Duration) in milliseconds; -1: none.
int milliseconds(std::string_view duration);

// A folder that the broker must own. Made where it is missing, and then taken away in the end.
class OwnFolder {
 public:
  OwnFolder() = default;
  // `what` (rundir, statedir) is for the message. A sticky folder gets one of the broker's own.
  [[nodiscard]] static Result<OwnFolder> take(std::string_view what, const std::string& path);
  OwnFolder(OwnFolder&& other) noexcept;
  OwnFolder& operator=(OwnFolder&& other) noexcept;
  ~OwnFolder();

  const std::string& path() const { return path_; }

 private:
  std::string path_;
  bool made_ = false;
};

// The path of `local://PATH`. Invalid: too long for a socket, or its folder is not the broker's.
[[nodiscard]] Result<std::string> socket_path(const std::string& uri);

}  // namespace mc::stand_in
