# SPDX-License-Identifier: BSL-1.0
#
# Runs a program and compares what it prints with a file.
#   cmake -D PROGRAM=… -D EXPECTED=… -P check_output.cmake

file(READ "${EXPECTED}" expected)
execute_process(COMMAND "${PROGRAM}" OUTPUT_VARIABLE printed RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${PROGRAM} failed: ${status}")
endif()
if(NOT printed STREQUAL expected)
  message(FATAL_ERROR "${PROGRAM} printed:\n${printed}\nand not what ${EXPECTED} says:\n${expected}")
endif()
