# SPDX-License-Identifier: BSL-1.0
#
# Runs the lab's migration with little traffic: once as assumed, where no row may be lost or doubled, and once with an
# index that is behind for longer than assumed, where losses must be shown.
#   cmake -D "LAB=<command>;<argument>…" -P check_migration.cmake

function(run_lab)
  execute_process(COMMAND ${LAB} --migrate --json --managers 2 ${ARGN}
                  OUTPUT_VARIABLE text ERROR_VARIABLE said RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "the lab failed (${status}):\n${said}")
  endif()
  foreach(figure lost doubled reads moved)
    string(JSON ${figure} GET "${text}" total ${figure})
    set(${figure} "${${figure}}" PARENT_SCOPE)
  endforeach()
  foreach(figure assumption_held verdict late_row_hidden_s)
    string(JSON ${figure} GET "${text}" ${figure})
    set(${figure} "${${figure}}" PARENT_SCOPE)
  endforeach()
  string(JSON losses LENGTH "${text}" losses)
  set(losses "${losses}" PARENT_SCOPE)
  set(text "${text}" PARENT_SCOPE)
endfunction()

run_lab()
message(STATUS "${reads} answers, lost ${lost}, doubled ${doubled}, ${moved} moves")
if(NOT lost EQUAL 0 OR NOT doubled EQUAL 0 OR NOT assumption_held OR NOT reads GREATER 1000)
  message(FATAL_ERROR "rows are lost or doubled: ${verdict}\n${text}")
endif()
# Half-way there and back, there, and back: some 800 rows each way.
if(NOT moved GREATER 2300)
  message(FATAL_ERROR "${moved} moves only")
endif()
if(NOT late_row_hidden_s GREATER 0)
  message(FATAL_ERROR "no late row was caught")
endif()
foreach(said "refused: from source to destination_writes skips a phase" "refused: evenkey: this instance runs in phase"
             "refused: the parity report is missing" "backfill stopped" "drift: " ": clean" ": identical" "alarm: ")
  if(NOT text MATCHES "${said}")
    message(FATAL_ERROR "the report does not say '${said}':\n${text}")
  endif()
endforeach()
# Each way ends with everything on one side.
string(JSON steps LENGTH "${text}" steps)
math(EXPR last "${steps} - 1")
string(JSON on_shards GET "${text}" steps ${last} rows_on_shards)
if(NOT on_shards EQUAL 0)
  message(FATAL_ERROR "${on_shards} rows are on shards after the rollback")
endif()

run_lab(--index-lag 2000)
message(STATUS "behind for longer than assumed: lost ${lost}")
if(assumption_held OR NOT lost GREATER 0 OR NOT losses GREATER 0 OR NOT doubled EQUAL 0)
  message(FATAL_ERROR "no loss is shown: ${verdict}\n${text}")
endif()
