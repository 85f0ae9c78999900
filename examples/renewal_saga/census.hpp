// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "saga.hpp"

namespace lab {

/// Counts the rows that were written, apart from the table, so that every answer can be checked as it comes.
class Census {
 public:
  explicit Census(const std::vector<std::string>& persons) : rows_of_(persons.size()) {
    for (const std::string& person : persons)
      numbers_.emplace(person, static_cast<std::uint32_t>(numbers_.size()));
  }

  void add_row(std::string_view person) {
    ++rows_;
    ++rows_of_[numbers_.at(person)];
  }
  std::uint64_t rows() const noexcept { return rows_; }
  std::uint64_t rows_of(std::uint32_t person) const { return rows_of_[person]; }
  std::uint64_t rows_of(const std::vector<std::uint32_t>& persons) const {
    std::uint64_t rows = 0;
    for (const std::uint32_t person : persons)
      rows += rows_of_[person];
    return rows;
  }

  /// What is asked of one answer: as many rows as there were when the call began, or as there are now (a row
  /// that is opened while it waits for a retry may be in it or not), none of them twice.
  struct Expected {
    std::uint64_t least;
    std::uint64_t most;
  };
  static bool right(const std::vector<Saga>& rows, Expected expected) {
    if (rows.size() < expected.least || rows.size() > expected.most) return false;
    for (std::size_t i = 1; i < rows.size(); ++i)
      if (rows[i - 1].person_id == rows[i].person_id && rows[i - 1].gsi4sk >= rows[i].gsi4sk) return false;
    return true;
  }

 private:
  std::unordered_map<std::string_view, std::uint32_t> numbers_;  // views of the population's persons
  std::vector<std::uint64_t> rows_of_;
  std::uint64_t rows_ = 0;
};

}  // namespace lab
