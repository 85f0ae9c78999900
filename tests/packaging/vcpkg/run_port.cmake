# SPDX-License-Identifier: BSL-1.0
#
# Runs the port as vcpkg's script does, with functions of our own in the place of vcpkg's, since vcpkg itself is not at
# hand. They do what is documented of vcpkg's: configure, install, move the CMake package to share/<port>, copy the licence.
# What the port calls beside these is an unknown command, and fails.
# usage: cmake -D PORT_DIR=... -D PORT=... -D CURRENT_PACKAGES_DIR=... -D CURRENT_BUILDTREES_DIR=... -P run_port.cmake

function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

function(vcpkg_cmake_configure)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "SOURCE_PATH" "OPTIONS")
  if(arg_UNPARSED_ARGUMENTS OR NOT EXISTS "${arg_SOURCE_PATH}/CMakeLists.txt")
    message(FATAL_ERROR "vcpkg_cmake_configure: ${ARGV}")
  endif()
  if(NOT VCPKG_BUILD_TYPE STREQUAL "release")
    message(FATAL_ERROR "a port of headers builds once: VCPKG_BUILD_TYPE is '${VCPKG_BUILD_TYPE}'")
  endif()
  run("${CMAKE_COMMAND}" -S "${arg_SOURCE_PATH}" -B "${CURRENT_BUILDTREES_DIR}" -G Ninja ${arg_OPTIONS}
      -D CMAKE_BUILD_TYPE=Release -D "CMAKE_INSTALL_PREFIX=${CURRENT_PACKAGES_DIR}")
endfunction()

function(vcpkg_cmake_install)
  run("${CMAKE_COMMAND}" --build "${CURRENT_BUILDTREES_DIR}" --target install)
endfunction()

# From share/cmake/<name> to share/<port>, one folder less below the prefix.
function(vcpkg_cmake_config_fixup)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "CONFIG_PATH" "")
  set(from "${CURRENT_PACKAGES_DIR}/${arg_CONFIG_PATH}")
  file(GLOB files "${from}/*.cmake")
  if(arg_UNPARSED_ARGUMENTS OR NOT files)
    message(FATAL_ERROR "vcpkg_cmake_config_fixup: nothing in '${from}'")
  endif()
  cmake_path(GET from PARENT_PATH parent)
  set(climb "get_filename_component(_IMPORT_PREFIX \"\${_IMPORT_PREFIX}\" PATH)\n")
  foreach(file IN LISTS files)
    file(READ "${file}" text)
    string(REPLACE "${climb}${climb}${climb}" "${climb}${climb}" text "${text}")
    string(REPLACE "{CMAKE_CURRENT_LIST_DIR}/../../../" "{CMAKE_CURRENT_LIST_DIR}/../../" text "${text}")
    cmake_path(GET file FILENAME name)
    file(WRITE "${CURRENT_PACKAGES_DIR}/share/${PORT}/${name}" "${text}")
  endforeach()
  file(REMOVE_RECURSE "${from}")
  file(GLOB left "${parent}/*")
  if(NOT left)
    file(REMOVE_RECURSE "${parent}")
  endif()
endfunction()

function(vcpkg_fixup_pkgconfig)
  file(GLOB_RECURSE files "${CURRENT_PACKAGES_DIR}/share/pkgconfig/*.pc")
  if(ARGV OR NOT files)
    message(FATAL_ERROR "vcpkg_fixup_pkgconfig: no file to look at")
  endif()
endfunction()

function(vcpkg_install_copyright)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "" "FILE_LIST")
  list(LENGTH arg_FILE_LIST count)
  if(arg_UNPARSED_ARGUMENTS OR NOT count EQUAL 1)
    message(FATAL_ERROR "vcpkg_install_copyright: ${ARGV}")
  endif()
  configure_file("${arg_FILE_LIST}" "${CURRENT_PACKAGES_DIR}/share/${PORT}/copyright" COPYONLY)
endfunction()

include("${PORT_DIR}/portfile.cmake")
