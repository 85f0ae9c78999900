# SPDX-License-Identifier: BSL-1.0
#
# Runs the port as vcpkg's script does, with functions of our own in the place of vcpkg's, since vcpkg itself is seldom at
# hand. They do what is documented of vcpkg's, for release and debug: configure, install, move the CMake package to
# share/<port>, write the prefix of pkg-config's files, copy the licence.
# What the port calls beside these is an unknown command, and fails.
# usage: cmake -D PORT_DIR=... -D PORT=... -D CURRENT_PACKAGES_DIR=... -D CURRENT_BUILDTREES_DIR=... -P run_port.cmake

set(prefix_Release "${CURRENT_PACKAGES_DIR}")
set(prefix_Debug "${CURRENT_PACKAGES_DIR}/debug")

function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

function(vcpkg_cmake_configure)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "SOURCE_PATH" "OPTIONS")
  if(arg_UNPARSED_ARGUMENTS OR NOT EXISTS "${arg_SOURCE_PATH}/CMakeLists.txt")
    message(FATAL_ERROR "vcpkg_cmake_configure: ${ARGV}")
  endif()
  foreach(config IN ITEMS Release Debug)
    run("${CMAKE_COMMAND}" -S "${arg_SOURCE_PATH}" -B "${CURRENT_BUILDTREES_DIR}/${config}" -G Ninja ${arg_OPTIONS}
        -D CMAKE_BUILD_TYPE=${config} -D "CMAKE_INSTALL_PREFIX=${prefix_${config}}")
  endforeach()
endfunction()

function(vcpkg_cmake_install)
  foreach(config IN ITEMS Release Debug)
    run("${CMAKE_COMMAND}" --build "${CURRENT_BUILDTREES_DIR}/${config}" --target install)
  endforeach()
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

# A file with Libs lies in lib/, and in debug the headers are those of release.
function(vcpkg_fixup_pkgconfig)
  file(GLOB_RECURSE files "${CURRENT_PACKAGES_DIR}/*.pc")
  foreach(config IN ITEMS Release Debug)
    file(GLOB in_lib "${prefix_${config}}/lib/pkgconfig/*.pc")
    list(REMOVE_ITEM files ${in_lib})
    file(READ "${in_lib}" text)
    string(REGEX REPLACE "prefix=[^\n]*" "prefix=\${pcfiledir}/../.." text "${text}")
    if(config STREQUAL "Debug")
      string(REPLACE "\${prefix}/include" "\${prefix}/../include" text "${text}")
    endif()
    file(WRITE "${in_lib}" "${text}")
  endforeach()
  if(ARGV OR files)
    message(FATAL_ERROR "vcpkg_fixup_pkgconfig: not in lib/pkgconfig: ${files}")
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
