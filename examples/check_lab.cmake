# SPDX-License-Identifier: BSL-1.0
#
# Runs the lab with --json and checks that its stdout is one JSON object, with the figures that it promises, and that
# sharding ends the throttling.
#   cmake -D "LAB=<command>;<argument>…" -P check_lab.cmake

execute_process(COMMAND ${LAB} --json --minutes 2 --seed 1
                OUTPUT_VARIABLE text ERROR_VARIABLE said RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "the lab failed (${status}):\n${said}")
endif()

string(JSON shards ERROR_VARIABLE fault GET "${text}" shards)
if(fault)
  message(FATAL_ERROR "stdout is not the JSON alone (${fault}):\n${text}")
endif()
foreach(side before after)
  foreach(figure rows requests throttled peak_partition_rcu)
    string(JSON ${side}_${figure} GET "${text}" ${side} ${figure})
    message(STATUS "${side}: ${figure} ${${side}_${figure}}")
  endforeach()
endforeach()
if(NOT shards EQUAL 16)
  message(FATAL_ERROR "${shards} shards, not the default of 16")
endif()
if(NOT before_throttled GREATER 0 OR NOT after_throttled LESS before_throttled)
  message(FATAL_ERROR "throttled ${before_throttled} before and ${after_throttled} after: the lab shows no gain")
endif()
