# SPDX-License-Identifier: BSL-1.0
#
# Runs the lab with --json and checks that its stdout is one JSON object, with the figures that it promises, and that
# sharding ends the throttling.
#   cmake -D "LAB=<command>;<argument>…" -P check_lab.cmake

function(run_lab)
  execute_process(COMMAND ${LAB} --json ${ARGN} OUTPUT_VARIABLE text ERROR_VARIABLE said RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "the lab failed (${status}):\n${said}")
  endif()
  string(JSON shards ERROR_VARIABLE fault GET "${text}" shards)
  if(fault)
    message(FATAL_ERROR "stdout is not the JSON alone (${fault}):\n${text}")
  endif()
  set(text "${text}" PARENT_SCOPE)
  set(shards "${shards}" PARENT_SCOPE)
endfunction()

run_lab(--minutes 1 --coalesce)
string(JSON variants LENGTH "${text}" saved)
string(JSON saved GET "${text}" saved 1 before change requests)
if(NOT variants EQUAL 2 OR NOT saved LESS 0)
  message(FATAL_ERROR "${variants} rows of what is saved, the last of ${saved} requests")
endif()

run_lab(--minutes 1)
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
