#pragma once
#include <string>
#include <vector>

// References from a document of the repository to its other files.
namespace mc::docs {

struct Page {
  std::string path;
  std::string text;
};

// The targets of the relative links of `page` that match no file or folder of `files`, or no
// heading of `pages`.
std::vector<std::string> broken_links(const Page& page, const std::vector<Page>& pages,
                                      const std::vector<std::string>& files);

// The paths that `page` names but that do not exist. A path is a word that begins with a folder of
// the root. A file may be named without its extension (`common/api/validate`), several files with a
// `*`.
std::vector<std::string> unknown_paths(const Page& page, const std::vector<std::string>& files);

}  // namespace mc::docs
