// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "clock.hpp"
#include "saga.hpp"

namespace lab {

/// The rows that were written, apart from table and index, so that every answer of the index can be checked.
class Reference {
 public:
  struct Row {
    std::string id;
    std::uint32_t person = 0;
    Time seen_from{};  ///< from when on every reader must see it
    bool on_shards = false;
    // Of its last move:
    Time moved_at{};
    Time gone_at{};   ///< from where it was
    Time shown_at{};  ///< where it is
  };
  struct Findings {
    std::vector<std::uint32_t> lost;
    std::uint64_t doubled = 0;
    std::uint64_t unknown = 0;
  };

  explicit Reference(const std::vector<std::string>& persons);

  /// @returns its number
  std::uint32_t add(const Saga& saga, Time seen_from);
  /// @returns its number, or that of no row
  std::uint32_t number_of(std::string_view id) const;
  Row& row(std::uint32_t number) { return rows_[number]; }
  const std::vector<Row>& rows() const noexcept { return rows_; }
  static constexpr std::uint32_t none = 0xFFFFFFFF;

  /// An answer to a call that began then: for all rows, or those of some persons.
  Findings check_all(const std::vector<Saga>& answer, Time began);
  Findings check(const std::vector<Saga>& answer, const std::vector<std::uint32_t>& persons, Time began);

 private:
  Findings mark(const std::vector<Saga>& answer);
  void look_for(std::uint32_t number, Time began, Findings& findings) const {
    if (rows_[number].seen_from <= began && marks_[number] != mark_) findings.lost.push_back(number);
  }

  std::vector<Row> rows_;
  std::unordered_map<std::string, std::uint32_t> numbers_;
  std::unordered_map<std::string, std::uint32_t> persons_;
  std::vector<std::vector<std::uint32_t>> rows_of_;
  std::vector<std::uint64_t> marks_;  // of each row: the last answer that it was in
  std::uint64_t mark_ = 0;
};

}  // namespace lab
