# SPDX-License-Identifier: Apache-2.0
# Compiles files into a target so that an installed program finds them without a path.
#
#   corten_embed(target symbol [RELATIVE_TO folder] file...)
#
# defines in `target` the function
#
#   namespace corten { std::span<const std::pair<std::string_view, std::string_view>> symbol(); }
#
# that returns name and bytes of each file, in the order given. The name is the file name, or the path relative to
# `folder`. Files are text without the sequence `)corten"`.

set(CORTEN_EMBED_SCRIPT ${CMAKE_CURRENT_LIST_FILE})

function(corten_embed target symbol)
  cmake_parse_arguments(PARSE_ARGV 2 embed "" "RELATIVE_TO" "")
  set(names)
  set(paths)
  foreach(file IN LISTS embed_UNPARSED_ARGUMENTS)
    get_filename_component(path ${file} ABSOLUTE)
    if(embed_RELATIVE_TO)
      get_filename_component(root ${embed_RELATIVE_TO} ABSOLUTE)
      file(RELATIVE_PATH name ${root} ${path})
    else()
      get_filename_component(name ${path} NAME)
    endif()
    list(APPEND names ${name})
    list(APPEND paths ${path})
  endforeach()
  set(output ${CMAKE_CURRENT_BINARY_DIR}/embedded/${symbol}.cpp)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} "-DSYMBOL=${symbol}" "-DNAMES=${names}" "-DPATHS=${paths}" "-DOUTPUT=${output}"
            -P ${CORTEN_EMBED_SCRIPT}
    DEPENDS ${paths} ${CORTEN_EMBED_SCRIPT}
    COMMENT "Embedding ${symbol}"
    VERBATIM)
  target_sources(${target} PRIVATE ${output})
endfunction()

function(corten_write_embedded symbol names paths output)
  set(text "// SPDX-License-Identifier: Apache-2.0\n// Files embedded by cmake/embed.cmake.\n")
  string(APPEND text "#include <span>\n#include <string_view>\n#include <utility>\n\nnamespace corten {\nnamespace {\n\n")
  string(APPEND text "constexpr std::pair<std::string_view, std::string_view> files[] = {\n")
  foreach(name path IN ZIP_LISTS names paths)
    file(READ ${path} content)
    string(APPEND text "{\"${name}\", R\"corten(${content})corten\"},\n")
  endforeach()
  string(APPEND text "};\n\n}  // namespace\n\nstd::span<const std::pair<std::string_view, std::string_view>> ${symbol}();\n")
  string(APPEND text "std::span<const std::pair<std::string_view, std::string_view>> ${symbol}() { return files; }\n\n")
  string(APPEND text "}  // namespace corten\n")
  file(WRITE ${output} "${text}")
endfunction()

if(CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  corten_write_embedded(${SYMBOL} "${NAMES}" "${PATHS}" ${OUTPUT})
endif()
