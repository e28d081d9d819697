#pragma once
#include <string>
#include <string_view>

// docs/messages.md has every message that the tests make the product say, so that somebody reads
// them. Each part of the page, by its heading, is the work of one test program. At the end of a
// whole run, the program compares its parts with the page; UPDATE_GOLDEN=1 writes them.
namespace mc::test {

// Adds what the product said to the part `heading`. Of messages that differ only in numbers and
// quoted values, the page has the shortest. `key`: what is compared, if it is not the message.
void collect_message(std::string_view heading, const std::string& message,
                     std::string_view key = "");

// The same for each error and warning in what a program wrote to standard error.
void collect_errors(std::string_view heading, const std::string& text);

}  // namespace mc::test
