// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/evenkey.hpp>

#include <cstddef>
#include <functional>
#include <string>
#include <variant>

#include "clock.hpp"
#include "saga.hpp"

namespace lab {

/// What tells the lab's queries apart: they are of one index, ascending and without a limit.
struct QueryKey {
  std::string partition_key;
  std::string condition;
  std::string start_key;

  friend bool operator==(const QueryKey&, const QueryKey&) = default;
  friend auto operator<=>(const QueryKey&, const QueryKey&) = default;
};

struct QueryKeyHash {
  std::size_t operator()(const QueryKey& key) const noexcept {
    const std::hash<std::string> hash;
    std::size_t all = 0;
    for (const std::string* part : {&key.partition_key, &key.condition, &key.start_key})
      all = all * 31 + hash(*part);
    return all;
  }
};

inline QueryKey key_of(const evenkey::QueryRequest<std::string>& request) {
  const bool whole_partition = request.sort_key.form() == evenkey::SortKeyCondition::Form::none;
  return {std::string(request.partition_key),
          whole_partition ? std::string() : std::get<std::string>(request.sort_key.value()),
          request.exclusive_start_key.value_or("")};
}

/// What the web service keeps of its list pages' queries, in virtual time.
using CoalescedQueries = evenkey::Coalescer<QueryKey, evenkey::Page<Saga>, SteadyClockOf, QueryKeyHash>;

}  // namespace lab
