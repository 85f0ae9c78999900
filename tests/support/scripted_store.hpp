// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/index.hpp>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/request_log.hpp"

namespace support {

struct NumberedRow {
  std::int64_t key;
  std::string primary;

  friend bool operator==(const NumberedRow&, const NumberedRow&) = default;
};

/// An index of numbers over as many shards as a script has.
template <class Key = std::string>
struct ScriptedIndex {
  static constexpr std::string_view name = "scripted";
  using PartitionKey = evenkey::DynamicShardedKey;
  using SortKey = evenkey::NumberKey;
  using Item = NumberedRow;
  using StartKey = Key;

  evenkey::DynamicShardedKey keys;

  const evenkey::DynamicShardedKey& partition_keys() const { return keys; }
  static std::int64_t sort_key(const NumberedRow& row) { return row.key; }
  static std::string_view primary_key(const NumberedRow& row) { return row.primary; }
  static std::string_view shard_by(const NumberedRow& row) { return row.primary; }
};

enum class Limits { honoured, ignored };

struct scripted_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A store that answers what a script says, page by page, in the notation of the field reports:
/// `s0: [1,3]>L []>L [5].  s1: [2,4,6].`
///
/// Numbers are sort keys; `4/b` has the primary key b, which is else made up and differs for every row. `>L`
/// is a last_evaluated_key, `>{}` one that is there but empty. `!` in place of a page throws a
/// `scripted_error`, `!42` throws the int 42. A descending read gets the script from its end.
template <class Key = std::string>
class ScriptedStore {
 public:
  explicit ScriptedStore(std::string_view script, Limits limits = Limits::ignored)
      : partitions_(parse(script)),
        limits_(limits),
        index_{evenkey::DynamicShardedKey("S", partitions_.size())} {}

  const ScriptedIndex<Key>& index() const { return index_; }
  RequestLog& log() { return log_; }

  evenkey::Page<NumberedRow, Key> operator()(const evenkey::QueryRequest<Key>& request) {
    const RequestLog::Visit visit = log_.enter(request);
    return answer(request);
  }

  /// The answer alone, which is not logged.
  evenkey::Page<NumberedRow, Key> answer(const evenkey::QueryRequest<Key>& request) const {
    const std::vector<Step>& steps = partitions_.at(index_.keys.parse(request.partition_key).value().value);
    std::size_t page_number = 0;
    std::size_t offset = 0;
    if (request.exclusive_start_key) {
      const std::string start = start_key_text<Key>::read(*request.exclusive_start_key);
      page_number = std::stoul(start);
      offset = std::stoul(start.substr(start.find(':') + 1));
    }
    const bool backward = request.direction == evenkey::Direction::descending;
    const Step& step = steps.at(backward ? steps.size() - 1 - page_number : page_number);
    if (step.kind == Step::throws_error) throw scripted_error("scripted failure");
    if (step.kind == Step::throws_int) throw 42;

    std::vector<NumberedRow> rows = step.rows;
    if (backward) std::reverse(rows.begin(), rows.end());
    std::size_t end = rows.size();
    if (limits_ == Limits::honoured && request.limit) end = (std::min)(end, offset + *request.limit);

    evenkey::Page<NumberedRow, Key> page;
    for (std::size_t i = offset; i < end; ++i)
      page.items.push_back(rows[i]);
    page.scanned_count = page.items.size();
    page.consumed_read_units = 0.5;
    if (end < rows.size()) {
      page.last_evaluated_key = key_of(page_number, end);
    } else if (page_number + 1 < steps.size()) {
      page.last_evaluated_key = key_of(page_number + 1, 0);
    } else if (steps.back().ends_in_empty_key) {
      page.last_evaluated_key = start_key_text<Key>::make("");
    }
    return page;
  }

  /// All rows of the script, shard after shard.
  std::vector<NumberedRow> rows() const {
    std::vector<NumberedRow> all;
    for (std::size_t shard = 0; shard < partitions_.size(); ++shard)
      for (const NumberedRow& row : rows_of(shard))
        all.push_back(row);
    return all;
  }
  std::vector<NumberedRow> rows_of(std::size_t shard) const {
    std::vector<NumberedRow> all;
    for (const Step& step : partitions_.at(shard))
      all.insert(all.end(), step.rows.begin(), step.rows.end());
    return all;
  }
  std::size_t shards() const { return partitions_.size(); }
  std::size_t pages_of(std::size_t shard) const { return partitions_.at(shard).size(); }

 private:
  struct Step {
    enum Kind { page, throws_error, throws_int };
    Kind kind = page;
    std::vector<NumberedRow> rows = {};
    bool ends_in_empty_key = false;
  };

  static Key key_of(std::size_t page, std::size_t offset) {
    return start_key_text<Key>::make(std::to_string(page) + ":" + std::to_string(offset));
  }

  static std::vector<std::vector<Step>> parse(std::string_view script) {
    std::vector<std::vector<Step>> partitions;
    std::size_t at = 0;
    std::size_t serial = 0;
    bool leads_on = false;  // the step before has `>L`, so another must come
    const auto peek = [&] { return at < script.size() ? script[at] : '\0'; };
    const auto refuse = [&](const char* why) {
      throw std::invalid_argument("script, at " + std::to_string(at) + ": " + why + ": " +
                                  std::string(script));
    };
    const auto skip_blanks = [&] {
      while (peek() == ' ' || peek() == '\n')
        ++at;
    };
    const auto eat = [&](std::string_view token) {
      skip_blanks();
      if (!script.substr(at).starts_with(token)) return false;
      at += token.size();
      return true;
    };
    const auto word = [&] {
      const std::size_t begin = at;
      while (std::isalnum(static_cast<unsigned char>(peek())) != 0 || peek() == '-')
        ++at;
      return std::string(script.substr(begin, at - begin));
    };

    for (skip_blanks(); peek() != '\0'; skip_blanks()) {
      if (!eat("s" + std::to_string(partitions.size()) + ":")) refuse("the next shard's name is missing");
      std::vector<Step>& steps = partitions.emplace_back();
      for (;;) {
        if (eat(".")) {
          if (leads_on) refuse("a page is missing after >L");
          break;
        }
        if (!steps.empty() && !leads_on) refuse("a page follows one without >L");
        leads_on = false;
        Step step;
        if (eat("!42")) {
          step.kind = Step::throws_int;
        } else if (eat("!")) {
          step.kind = Step::throws_error;
        } else if (eat("[")) {
          for (bool first = true; !eat("]"); first = false) {
            if (!first && !eat(",")) refuse("a comma is missing");
            skip_blanks();
            const std::string key = word();
            if (key.empty()) refuse("a number is missing");
            std::string primary = "row" + std::to_string(serial++);
            if (eat("/")) primary = word();
            step.rows.push_back({std::stoll(key), std::move(primary)});
          }
        } else {
          refuse("neither a page nor an end");
        }
        if (eat(">L")) {
          leads_on = true;
        } else if (eat(">{}")) {
          step.ends_in_empty_key = true;
        }
        steps.push_back(std::move(step));
      }
      // What comes after a failure is unreachable, and need not be written.
    }
    return partitions;
  }

  std::vector<std::vector<Step>> partitions_;
  Limits limits_;
  ScriptedIndex<Key> index_;
  RequestLog log_;
};

/// The sort keys of rows, to compare with the notation.
template <class Rows>
std::vector<std::int64_t> keys_of(const Rows& rows) {
  std::vector<std::int64_t> keys;
  for (const auto& row : rows)
    keys.push_back(row.key);
  return keys;
}

template <class Rows>
std::vector<std::string> primaries_of(const Rows& rows) {
  std::vector<std::string> primaries;
  for (const auto& row : rows)
    primaries.emplace_back(row.primary);
  return primaries;
}

}  // namespace support
