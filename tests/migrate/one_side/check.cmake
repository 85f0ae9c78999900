# SPDX-License-Identifier: BSL-1.0
#
# Looks for texts in a program's binary: each of HAS must be there, and none of LACKS.
#   cmake -D PROGRAM=… -D HAS=…;… -D LACKS=…;… -P check.cmake

foreach(text IN LISTS HAS)
  file(STRINGS "${PROGRAM}" found LIMIT_COUNT 1 REGEX "${text}")
  if(NOT found)
    message(FATAL_ERROR "${PROGRAM}: '${text}' is not in it, so this test would not see it elsewhere either")
  endif()
endforeach()
foreach(text IN LISTS LACKS)
  file(STRINGS "${PROGRAM}" found LIMIT_COUNT 1 REGEX "${text}")
  if(found)
    message(FATAL_ERROR "${PROGRAM}: '${text}' is in it, in '${found}': the other side of the migration was compiled in")
  endif()
endforeach()
