# SPDX-License-Identifier: BSL-1.0
#
# Finds xxHash for evenkey, both in this build and from the installed package configuration, and defines
# evenkey::xxhash. In this order: a target xxHash::xxhash that the project made itself, xxHash's CMake package
# (upstream, vcpkg, Conan), pkg-config's libxxhash (Debian, Ubuntu and others ship only that).
# The floor of 0.8.0, where XXH3 became stable, is checked again by evenkey/hash.hpp.

if(TARGET evenkey::xxhash)
  set(_evenkey_xxhash_from "found before")
else()
  set(_evenkey_xxhash "")
  unset(_evenkey_xxhash_from)
  if(NOT TARGET xxHash::xxhash)
    find_package(xxHash CONFIG QUIET)
  endif()
  if(TARGET xxHash::xxhash)
    set(_evenkey_xxhash xxHash::xxhash)
    set(_evenkey_xxhash_from "CMake target xxHash::xxhash")
  else()
    find_package(PkgConfig QUIET)
    if(PkgConfig_FOUND)
      pkg_check_modules(EVENKEY_XXHASH QUIET IMPORTED_TARGET "libxxhash>=0.8.0")
    endif()
    if(TARGET PkgConfig::EVENKEY_XXHASH)
      set(_evenkey_xxhash PkgConfig::EVENKEY_XXHASH)
      set(_evenkey_xxhash_from "pkg-config libxxhash ${EVENKEY_XXHASH_VERSION}")
    endif()
  endif()
  if(_evenkey_xxhash)
    add_library(evenkey::xxhash INTERFACE IMPORTED)
    target_link_libraries(evenkey::xxhash INTERFACE ${_evenkey_xxhash})
  endif()
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
  EvenkeyXxHash
  REQUIRED_VARS _evenkey_xxhash_from
  REASON_FAILURE_MESSAGE
    "evenkey needs xxHash 0.8.0 or newer, and found neither its CMake package (xxHash::xxhash) nor libxxhash by pkg-config. Install one of: libxxhash-dev and pkg-config (Debian, Ubuntu), xxhash-devel (Fedora), xxhash (Homebrew, vcpkg, Conan). If it is there, name its place in CMAKE_PREFIX_PATH or PKG_CONFIG_PATH.")
mark_as_advanced(xxHash_DIR)
