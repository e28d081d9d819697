# Writes OUT, a C++ source that contains every file of FILES as a byte array (ISO C++ limits string
# literals to 64 KiB).
set(text "#include \"common/base/embedded.h\"\n\nnamespace mc::embedded {\nnamespace {\n")
set(entries "")
set(index 0)
foreach(file IN LISTS FILES)
  file(READ ${file} hex HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
  get_filename_component(name ${file} NAME)
  string(APPEND text "constexpr unsigned char kFile${index}[] = {${bytes}0x00};\n")
  string(APPEND entries "    {\"${name}\", view(kFile${index}, sizeof(kFile${index}) - 1)},\n")
  math(EXPR index "${index} + 1")
endforeach()
string(APPEND text "std::string_view view(const unsigned char* data, std::size_t size) {\n"
  "  return {reinterpret_cast<const char*>(data), size};\n}\n}  // namespace\n\n"
  "std::span<const File> ${SYMBOL}() {\n  static const File files[] = {\n${entries}  };\n"
  "  return files;\n}\n\n}  // namespace mc::embedded\n")
file(WRITE ${OUT} "${text}")
