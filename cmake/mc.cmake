# mc_sources(<variable>)
# Every .cpp of the calling folder, and of its folders that have no CMakeLists.txt of their own.
function(mc_sources variable)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  file(GLOB below CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*/*.cpp)
  foreach(source ${below})
    get_filename_component(folder ${source} DIRECTORY)
    if(NOT EXISTS ${folder}/CMakeLists.txt)
      list(APPEND sources ${source})
    endif()
  endforeach()
  set(${variable} ${sources} PARENT_SCOPE)
endfunction()

# mc_library(<name> [<dependency>...])
# A library mc_<name> from mc_sources() except main.cpp.
function(mc_library name)
  mc_sources(sources)
  list(FILTER sources EXCLUDE REGEX "/main\\.cpp$")
  mc_layer(${name} "" "${sources}" ${ARGN})
endfunction()

# mc_folder(<name> <folder> [<dependency>...])
# A library mc_<name> from every .cpp of a folder below the calling one.
function(mc_folder name folder)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.cpp)
  mc_layer(${name} ${folder}/ "${sources}" ${ARGN})
endfunction()

add_library(mc_empty OBJECT ${CMAKE_SOURCE_DIR}/cmake/empty.cpp)  # the main() of links/

# mc_layer(<name> <prefix> <sources> [<dependency>...])
# A static library mc_<name>, whose files begin with <prefix> below the calling folder, with
# common/base/precompiled.h as its precompiled header. Its files may include what belongs to a
# dependency, and nothing else of ours: tests/layout reads layers.txt. The program links/mc_<name>
# is the library as a whole and nothing but its dependencies: the linker refuses any other call.
function(mc_layer name prefix sources)
  add_library(mc_${name} STATIC ${sources})
  target_link_libraries(mc_${name} PUBLIC ${ARGN})
  if(name STREQUAL base)
    target_precompile_headers(mc_base PRIVATE precompiled.h)
  else()
    target_precompile_headers(mc_${name} REUSE_FROM mc_base)
  endif()

  add_executable(mc_${name}_links $<TARGET_OBJECTS:mc_empty>)
  target_link_libraries(mc_${name}_links PRIVATE $<LINK_LIBRARY:WHOLE_ARCHIVE,mc_${name}>)
  target_link_options(mc_${name}_links PRIVATE LINKER:--strip-all)
  set_target_properties(mc_${name}_links PROPERTIES OUTPUT_NAME mc_${name}
                        LINKER_LANGUAGE CXX RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/links)

  file(RELATIVE_PATH folder ${CMAKE_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
  list(FILTER ARGN INCLUDE REGEX "^mc_")
  list(JOIN ARGN " " dependencies)
  set_property(GLOBAL APPEND_STRING PROPERTY MC_LAYERS "mc_${name} ${folder}/${prefix} ${dependencies}\n")
endfunction()

# mc_unity(<variable> <name>)
# With CMAKE_UNITY_BUILD, replaces the sources in <variable> by files that include them, by paths
# relative to the repository's root. CMake's own unity sources have absolute paths, which
# GoogleTest's __FILE__ takes along: no two clones would share a compiled test.
function(mc_unity variable name)
  if(NOT CMAKE_UNITY_BUILD)
    return()
  endif()
  set(sources ${${variable}})
  set(files "")
  set(size ${CMAKE_UNITY_BUILD_BATCH_SIZE})
  list(LENGTH sources count)
  math(EXPR last "${count} - 1")
  foreach(first RANGE 0 ${last} ${size})
    set(text "")
    list(SUBLIST sources ${first} ${size} batch)
    foreach(source ${batch})
      cmake_path(ABSOLUTE_PATH source)
      cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${CMAKE_SOURCE_DIR})
      string(APPEND text "#include \"${source}\"\n")
    endforeach()
    set(file ${CMAKE_CURRENT_BINARY_DIR}/unity/${name}_${first}.cpp)
    file(CONFIGURE OUTPUT ${file} CONTENT "${text}")
    set_source_files_properties(${file} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    list(APPEND files ${file})
  endforeach()
  set(${variable} ${files} PARENT_SCOPE)
endfunction()

# mc_test(<name> <dependency>...)
# A GoogleTest program test_<name> from mc_sources(). Its report is written to build/<preset>/reports,
# where tests/run.sh counts it.
function(mc_test name)
  mc_sources(sources)
  mc_unity(sources test_${name})
  add_executable(test_${name} ${sources})
  target_link_libraries(test_${name} PRIVATE ${ARGN} mc_test_support GTest::gtest_main GTest::gmock)
  target_precompile_headers(test_${name} REUSE_FROM mc_test_support)
  add_test(NAME ${name} COMMAND test_${name}
           --gtest_output=json:${CMAKE_BINARY_DIR}/reports/${name}.json)
endfunction()

# mc_embed(<target> <symbol> <file>...)
# Compiles files into <target> as `mc::embedded::<symbol>()`, a span of {name, text};
# declared in common/base/embedded.h.
function(mc_embed target symbol)
  set(out ${CMAKE_CURRENT_BINARY_DIR}/embedded_${symbol}.cpp)
  add_custom_command(
    OUTPUT ${out}
    COMMAND ${CMAKE_COMMAND} -DSYMBOL=${symbol} "-DFILES=${ARGN}" -DOUT=${out}
            -P ${CMAKE_SOURCE_DIR}/cmake/embed.cmake
    DEPENDS ${ARGN} ${CMAKE_SOURCE_DIR}/cmake/embed.cmake
    VERBATIM)
  set_source_files_properties(${out} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  target_sources(${target} PRIVATE ${out})
endfunction()
