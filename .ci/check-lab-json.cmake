# SPDX-License-Identifier: BSL-1.0
#
# Checks that a file holds one JSON object and nothing else, with the figures that the lab promises.
#   cmake -P check-lab-json.cmake FILE

file(READ "${CMAKE_ARGV3}" text)
string(JSON shards GET "${text}" shards)
foreach(side before after)
  foreach(figure rows requests throttled peak_partition_rcu)
    string(JSON value GET "${text}" ${side} ${figure})
    message("${side} ${figure}: ${value}")
  endforeach()
endforeach()
string(JSON before GET "${text}" before throttled)
string(JSON after GET "${text}" after throttled)
if(NOT before GREATER after)
  message(FATAL_ERROR "throttled before ${before}, after ${after}: the lab shows no gain")
endif()
