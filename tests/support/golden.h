#pragma once
#include <filesystem>
#include <string>

namespace mc::test {

// Expects the file, by a path from source_dir() or an absolute one, to be `text`; with
// UPDATE_GOLDEN=1 it is written first. `hint`: what is wrong otherwise, and what to do.
void expect_golden(const std::filesystem::path& file, const std::string& text,
                   const std::string& hint = "UPDATE_GOLDEN=1 writes it");

}  // namespace mc::test
