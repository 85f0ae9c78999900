# SPDX-License-Identifier: BSL-1.0
#
# What this project's own tests, examples and benchmarks are built with. Nothing here is installed or reaches users.

if(PROJECT_IS_TOP_LEVEL)
  set(CMAKE_CXX_EXTENSIONS OFF)
  set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
  find_program(ccache ccache NO_CACHE)  # looked up each time, since it may come and go
  if(ccache AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    set(CMAKE_CXX_COMPILER_LAUNCHER "${ccache}")
  endif()
endif()

set(EVENKEY_STRICT_FLAGS -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wold-style-cast)

# The presets make warnings errors (CMAKE_COMPILE_WARNING_AS_ERROR).
add_library(evenkey_dev INTERFACE)
target_link_libraries(evenkey_dev INTERFACE evenkey::evenkey)
if(CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang")
  target_compile_options(evenkey_dev INTERFACE ${EVENKEY_STRICT_FLAGS})
endif()
# g++ 12 sees an overlap in `"text" + std::string()` where there is none (GCC bug 105651).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(evenkey_dev INTERFACE -Wno-restrict)
endif()

# `cmake --build … --target all_verify_interface_header_sets` compiles every public header alone, with these flags. Those
# of adapters include what is not here; tests/adapters/ compiles them against a double of it.
set(evenkey_headers_alone ${evenkey_headers})
list(FILTER evenkey_headers_alone EXCLUDE REGEX "/adapters/")
target_sources(evenkey_dev INTERFACE FILE_SET HEADERS BASE_DIRS "${PROJECT_SOURCE_DIR}/include"
                                     FILES ${evenkey_headers_alone})
set_property(TARGET evenkey_dev PROPERTY VERIFY_INTERFACE_HEADER_SETS ON)
