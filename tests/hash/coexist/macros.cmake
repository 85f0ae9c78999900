# SPDX-License-Identifier: BSL-1.0
#
# Including evenkey must leave xxHash's macros as they would be without it: all of them when the program includes
# xxhash.h too, none when it does not. A macro of the xxhash.h at hand that include/evenkey/hash/xxhash_macros/ does not
# list is found here.
#   cmake -D COMPILER=… -D INCLUDE=… -D HERE=… -D WORK=… -P macros.cmake

function(preprocess result mode text)
  file(MAKE_DIRECTORY "${WORK}")
  file(WRITE "${WORK}/macros.cpp" "${text}")
  execute_process(
    COMMAND "${COMPILER}" -std=c++20 -I "${INCLUDE}" -I "${HERE}" -E -dM -D EVENKEY_MODE=${mode}
            -D EVENKEY_THEIR_PREFIX=theirs_ "${WORK}/macros.cpp"
    OUTPUT_VARIABLE macros COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX REPLACE "[][;]" "_" macros "${macros}")  # which mean something in a list
  string(REGEX MATCHALL "#define (XXH|PRIME|PROCESS|STRIPE|ACC_NB|kSecret|BYTE |U8 |U32 |U64 )[^\n]*" macros "${macros}")
  list(SORT macros)
  set(${result} "${macros}" PARENT_SCOPE)
endfunction()

function(expect_same what without with)
  if(NOT without STREQUAL with)
    set(gone ${without})
    set(left ${with})
    list(REMOVE_ITEM gone ${with} "")
    list(REMOVE_ITEM left ${without} "")
    message(SEND_ERROR "${what}\n  gone: ${gone}\n  left: ${left}")
  endif()
endfunction()

set(evenkey "#include <evenkey/hash.hpp>\n")
set(users "#include \"users_xxhash.hpp\"\n")

preprocess(with 0 "${evenkey}")
expect_same("evenkey alone leaves macros of xxHash" "" "${with}")
foreach(mode RANGE 1 8)
  set(flag "")
  if(mode EQUAL 4)
    set(flag "#define XXH_INLINE_ALL\n")
  elseif(mode EQUAL 7)
    set(flag "#define XXH_NAMESPACE theirs_\n")
  endif()
  preprocess(without ${mode} "${flag}${users}")
  if(NOT without)
    message(SEND_ERROR "mode ${mode} defines no macro of xxHash: this check checks nothing")
  endif()
  preprocess(with ${mode} "${flag}${users}${evenkey}")
  expect_same("mode ${mode}, evenkey included last" "${without}" "${with}")
  preprocess(with ${mode} "${flag}${evenkey}${users}")
  expect_same("mode ${mode}, evenkey included first" "${without}" "${with}")
endforeach()
