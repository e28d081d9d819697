#pragma once
#include <string>
#include <vector>

// What a text of the repository says of its other files.
namespace mc::docs {

struct Page {
  std::string path;
  std::string text;
};

// The targets of relative links of `page` that lead to no file or folder of `files`, or to no
// heading of one of `pages`.
std::vector<std::string> broken_links(const Page& page, const std::vector<Page>& pages,
                                      const std::vector<std::string>& files);

// The paths that `page` names and that are none: words which begin with a folder of the root. A
// file may be named without its extension (`common/api/validate`), several by a `*`.
std::vector<std::string> unknown_paths(const Page& page, const std::vector<std::string>& files);

}  // namespace mc::docs
