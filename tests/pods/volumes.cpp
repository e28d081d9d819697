#include "tests/pods/volumes.h"

#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <stdexcept>

#include "common/base/json.h"
#include "tests/pods/container.h"

namespace mc::pods {
namespace {

namespace fs = std::filesystem;

using Data = std::map<std::string, std::string>;

constexpr int kDefaultMode = 0644;
constexpr const char* kVersion = "..2026_01_01_00_00_00.1";

const Data& found(const std::map<std::string, Data>& all, const std::string& kind,
                  const std::string& name) {
  const auto data = all.find(name);
  if (data == all.end()) throw std::runtime_error(kind + " " + name + " not found");
  return data->second;
}

void write_file(const fs::path& path, const std::string& text, int mode) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
  fs::permissions(path, static_cast<fs::perms>(mode));
}

// Writes the files of one ConfigMap or Secret: all keys, or the items with their paths and modes.
void write_files(const Data& data, const json& source, int mode, const fs::path& folder) {
  if (!source.contains("items")) {
    for (const auto& [key, text] : data) write_file(folder / key, text, mode);
    return;
  }
  for (const json& item : source["items"]) {
    const auto value = data.find(item.at("key"));
    if (value == data.end()) throw std::runtime_error("no key " + item.at("key").dump());
    write_file(folder / item.at("path").get<std::string>(), value->second,
               item.value("mode", mode));
  }
}

void write_source(const json& source, const Sources& sources, int mode, const fs::path& folder) {
  if (source.contains("configMap")) {
    const json& map = source["configMap"];
    write_files(found(sources.config_maps, "ConfigMap", map.at("name")), map,
                map.value("defaultMode", mode), folder);
  }
  if (source.contains("secret")) {
    const json& secret = source["secret"];
    const std::string name = secret.value("secretName", secret.value("name", ""));
    write_files(found(sources.secrets, "Secret", name), secret, secret.value("defaultMode", mode),
                folder);
  }
}

// `..data` links to the current version, so that all files change at once.
void link_version(const fs::path& folder) {
  fs::create_directory_symlink(kVersion, folder / "..data");
  for (const auto& entry : fs::directory_iterator(folder / kVersion)) {
    fs::create_symlink(fs::path("..data") / entry.path().filename(),
                       folder / entry.path().filename());
  }
}

void give_to_group(const fs::path& path, gid_t group, bool read_only) {
  struct stat info{};
  require(lstat(path.c_str(), &info) == 0, path.string());
  if (S_ISLNK(info.st_mode)) return;
  require(lchown(path.c_str(), info.st_uid, group) == 0, "chown " + path.string());
  mode_t mode = info.st_mode | (read_only ? 0440 : 0660);
  if (S_ISDIR(info.st_mode)) mode |= S_ISGID | 0110;
  require(chmod(path.c_str(), mode & 07777) == 0, "chmod " + path.string());
}

void make_empty_dir(const json& source, const fs::path& folder) {
  fs::create_directories(folder);
  if (source.value("medium", "") == "Memory") {
    require(mount("tmpfs", folder.c_str(), "tmpfs", 0, "mode=0777") == 0, folder.string());
  }
  fs::permissions(folder, fs::perms::all);
}

// The folder of one volume. `own` is the place to create one that has none.
fs::path make_volume(const json& volume, const Sources& sources, const fs::path& own) {
  if (volume.contains("hostPath")) {
    return sources.host_paths.at(volume["hostPath"].at("path"));
  }
  if (volume.contains("persistentVolumeClaim")) {
    return sources.claims.at(volume["persistentVolumeClaim"].at("claimName"));
  }
  if (volume.contains("emptyDir")) {
    make_empty_dir(volume["emptyDir"], own);
    return own;
  }
  fs::create_directories(own / kVersion);
  if (volume.contains("projected")) {
    const json& projected = volume["projected"];
    for (const json& source : projected.at("sources")) {
      write_source(source, sources, projected.value("defaultMode", kDefaultMode), own / kVersion);
    }
  } else {
    write_source(volume, sources, kDefaultMode, own / kVersion);
  }
  link_version(own);
  return own;
}

}  // namespace

std::map<std::string, fs::path> make_volumes(const json& pod_spec, const Sources& sources,
                                             const fs::path& folder) {
  const std::int64_t group = integer_at(pod_spec, {"securityContext", "fsGroup"}, -1);
  std::map<std::string, fs::path> out;
  for (const json& volume : at_path(pod_spec, {"volumes"})) {
    const std::string name = volume.at("name");
    const fs::path path = make_volume(volume, sources, folder / name);
    out[name] = path;
    if (group < 0 || volume.contains("hostPath")) continue;
    give_to_group(path, static_cast<gid_t>(group), is_read_only(volume));
    for (const auto& entry : fs::recursive_directory_iterator(path)) {
      give_to_group(entry.path(), static_cast<gid_t>(group), is_read_only(volume));
    }
  }
  return out;
}

bool is_read_only(const json& volume) {
  return volume.contains("configMap") || volume.contains("secret") || volume.contains("projected");
}

}  // namespace mc::pods
