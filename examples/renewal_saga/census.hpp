// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "clock.hpp"
#include "saga.hpp"

namespace lab {

/// Counts the rows that were written, apart from the table, so that every answer can be checked as it comes.
class Census {
 public:
  explicit Census(const std::vector<std::string>& persons) : rows_of_(persons.size()) {
    for (const std::string& person : persons)
      numbers_.emplace(person, static_cast<std::uint32_t>(numbers_.size()));
  }

  /// Rows are added as time goes.
  void add_row(std::string_view person, Time now) {
    const std::uint32_t number = numbers_.at(person);
    ++rows_;
    ++rows_of_[number];
    if (now > Time()) opened_.push_back({now, number});
  }
  std::uint64_t rows() const noexcept { return rows_; }
  std::uint64_t rows_of(std::uint32_t person) const { return rows_of_[person]; }
  std::uint64_t rows_of(const std::vector<std::uint32_t>& persons) const {
    std::uint64_t rows = 0;
    for (const std::uint32_t person : persons)
      rows += rows_of_[person];
    return rows;
  }
  /// As it was at that time.
  std::uint64_t rows_of(const std::vector<std::uint32_t>& persons, Time then) const {
    std::uint64_t rows = rows_of(persons);
    for (auto row = opened_.rbegin(); row != opened_.rend() && row->at > then; ++row)
      rows -= static_cast<std::uint64_t>(std::count(persons.begin(), persons.end(), row->person));
    return rows;
  }

  /// What is asked of one answer: as many rows as there were when the call began, or as there are now (a row
  /// that is opened while it waits for a retry may be in it or not), none of them twice. Of a coalesced
  /// answer: as there were when the oldest query that it may come from was made.
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
  struct Opened {
    Time at;
    std::uint32_t person;
  };
  std::vector<std::uint64_t> rows_of_;
  std::vector<Opened> opened_;  // after the start, by time: few
  std::uint64_t rows_ = 0;
};

}  // namespace lab
