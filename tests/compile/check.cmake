# SPDX-License-Identifier: BSL-1.0
#
# Checks one file of this folder. It must compile as it is, must not compile with EVENKEY_REJECT defined, and every
# line `// expect: <regular expression>` of it must match what the compiler then says. (CTest's
# PASS_REGULAR_EXPRESSION would ignore the exit status.)
#   cmake -D FILE=… -D COMPILER=… [-D FLAGS=…;…] [-D INCLUDES=…;…] -P check.cmake

set(command "${COMPILER}" ${FLAGS} -fsyntax-only)
foreach(include IN LISTS INCLUDES)
  if(include)
    list(APPEND command -I "${include}")
  endif()
endforeach()

file(STRINGS "${FILE}" expectations REGEX "^// expect: ")
list(TRANSFORM expectations REPLACE "^// expect: " "")
if(NOT expectations)
  message(FATAL_ERROR "${FILE}: no line '// expect: <regular expression>' that says why it is refused")
endif()

execute_process(COMMAND ${command} "${FILE}" RESULT_VARIABLE status ERROR_VARIABLE said)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${FILE}: the accepted variant does not compile:\n${said}")
endif()

execute_process(COMMAND ${command} -DEVENKEY_REJECT "${FILE}" RESULT_VARIABLE status ERROR_VARIABLE said)
if(status EQUAL 0)
  message(FATAL_ERROR "${FILE}: the variant with EVENKEY_REJECT compiles, and must not")
endif()
foreach(expected IN LISTS expectations)
  if(NOT said MATCHES "${expected}")
    message(FATAL_ERROR "${FILE}: refused, but not because of '${expected}':\n${said}")
  endif()
endforeach()
