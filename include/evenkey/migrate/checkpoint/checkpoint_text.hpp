// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/hash.hpp>
#include <evenkey/migrate/checkpoint.hpp>
#include <evenkey/migrate/checkpoint/escaped_text.hpp>
#include <evenkey/migrate/record_text.hpp>

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace evenkey::detail {

/// What a checkpoint belongs to.
struct CheckpointPlan {
  std::string migration;
  std::string layout;  // of the destination
  std::string table;
  std::string scan;
  std::uint32_t segments = 1;
};

/// Where a segment stands: the start key of its next page, encoded. Neither a key nor the end: the beginning.
struct CheckpointPlace {
  std::uint32_t segment = 0;
  std::optional<std::string> start_key = {};
  enum class At : std::uint8_t { page, end } at = At::page;
};

/// A row whose move failed, and between which start keys of its segment it lies.
struct CheckpointFailure {
  std::uint32_t segment = 0;
  std::optional<std::string> page_start = {};  // nothing: the beginning of the segment
  std::optional<std::string> page_end = {};    // nothing: its end
  std::string primary_key = {};
};

inline constexpr std::size_t checkpoint_counts = 10;

/// All that a checkpoint says.
/// Source: docs/format/checkpoint.md.
struct Checkpoint {
  CheckpointPlan plan;
  std::int64_t drained_ms = 0;  // since 1970, UTC
  std::array<std::uint64_t, checkpoint_counts> counts{};
  std::vector<CheckpointPlace> places;
  std::vector<CheckpointFailure> failures;
};

inline constexpr std::string_view checkpoint_head = "evenkey-checkpoint/1\n";  // stored: do not change
inline constexpr std::size_t checkpoint_tail_size = 10 + 16 + 1;  // `checksum: `, digits, line end

inline std::string checkpoint_tail(std::string_view covered) {
  return "checksum: " + hex64(Xxh3_64{}(covered)) + "\n";
}

inline std::string to_place(const std::optional<std::string>& start_key, const char* otherwise) {
  return start_key ? to_escaped(*start_key) : std::string(otherwise);
}

inline std::string write_checkpoint(const Checkpoint& checkpoint) {
  std::string text(checkpoint_head);
  text += "migration: " + to_escaped(checkpoint.plan.migration) + "\n";
  text += "layout: " + to_escaped(checkpoint.plan.layout) + "\n";
  text += "table: " + to_escaped(checkpoint.plan.table) + "\n";
  text += "scan: " + to_escaped(checkpoint.plan.scan) + "\n";
  text += "segments: " + std::to_string(checkpoint.plan.segments) + "\n";
  text += "drained: " + std::to_string(checkpoint.drained_ms) + "\n";
  text += "counts:";
  for (const std::uint64_t count : checkpoint.counts)
    text += " " + std::to_string(count);
  text += "\n";
  for (const CheckpointPlace& place : checkpoint.places)
    text += "segment: " + std::to_string(place.segment) + " " +
            (place.at == CheckpointPlace::At::end ? "end" : to_place(place.start_key, "begin")) + "\n";
  for (const CheckpointFailure& failure : checkpoint.failures)
    text += "failed: " + std::to_string(failure.segment) + " " + to_place(failure.page_start, "begin") + " " +
            to_place(failure.page_end, "end") + " " + to_escaped(failure.primary_key) + "\n";
  return text + checkpoint_tail(text);
}

/// Reads lines of words, of which nothing is trusted.
class CheckpointReader {
 public:
  explicit CheckpointReader(std::string_view text) : text_(text) {}

  [[noreturn]] static void damaged() {
    throw checkpoint_error(
        "evenkey: the checkpoint is damaged or was not made by evenkey; restore it, or start again without "
        "one: rows that were moved already stay moved");
  }

  /// The next line begins with this word: it is taken.
  bool begins(std::string_view word) {
    if (!text_.starts_with(word) || text_.size() == word.size()) return false;
    if (text_[word.size()] != ':') return false;
    text_.remove_prefix(word.size() + 1);
    return true;
  }
  void expect(std::string_view word) {
    if (!begins(word)) damaged();
  }
  std::string_view word() {
    if (!text_.starts_with(' ')) damaged();
    text_.remove_prefix(1);
    const std::size_t end = text_.find_first_of(" \n");
    if (end == std::string_view::npos) damaged();
    const std::string_view taken = text_.substr(0, end);
    text_.remove_prefix(end);
    return taken;
  }
  template <class Number>
  Number number() {
    const std::string_view digits = word();
    Number value{};
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc() || end != digits.data() + digits.size()) damaged();
    return value;
  }
  std::string bytes() {
    std::optional<std::string> bytes = from_escaped(word());
    if (!bytes) damaged();
    return *std::move(bytes);
  }
  /// A start key, or nothing for the word that stands for none.
  std::optional<std::string> place(std::string_view otherwise) {
    const std::string_view taken = word();
    if (taken == otherwise) return std::nullopt;
    std::optional<std::string> bytes = from_escaped(taken);
    if (!bytes) damaged();
    return bytes;
  }
  void end_line() {
    if (!text_.starts_with('\n')) damaged();
    text_.remove_prefix(1);
  }
  bool at_end() const noexcept { return text_.empty(); }

 private:
  std::string_view text_;
};

/// Errors: `checkpoint_error` for whatever `write_checkpoint` would not have written, byte by byte.
inline Checkpoint read_checkpoint(std::string_view text) {
  if (text.size() < checkpoint_head.size() + checkpoint_tail_size) CheckpointReader::damaged();
  const std::string_view covered = text.substr(0, text.size() - checkpoint_tail_size);
  if (text.substr(covered.size()) != checkpoint_tail(covered)) CheckpointReader::damaged();
  if (!covered.starts_with(checkpoint_head))
    throw checkpoint_error("evenkey: the checkpoint is of another version of evenkey: go on with that one");
  CheckpointReader reader(covered.substr(checkpoint_head.size()));
  Checkpoint checkpoint;
  const auto line = [&](std::string_view word, auto read) {
    reader.expect(word);
    read();
    reader.end_line();
  };
  line("migration", [&] { checkpoint.plan.migration = reader.bytes(); });
  line("layout", [&] { checkpoint.plan.layout = reader.bytes(); });
  line("table", [&] { checkpoint.plan.table = reader.bytes(); });
  line("scan", [&] { checkpoint.plan.scan = reader.bytes(); });
  line("segments", [&] { checkpoint.plan.segments = reader.number<std::uint32_t>(); });
  line("drained", [&] { checkpoint.drained_ms = reader.number<std::int64_t>(); });
  line("counts", [&] {
    for (std::uint64_t& count : checkpoint.counts)
      count = reader.number<std::uint64_t>();
  });
  while (reader.begins("segment")) {
    CheckpointPlace place;
    place.segment = reader.number<std::uint32_t>();
    const std::string_view taken = reader.word();
    if (taken == "end") {
      place.at = CheckpointPlace::At::end;
    } else if (taken != "begin") {
      place.start_key = from_escaped(taken);
      if (!place.start_key) CheckpointReader::damaged();
    }
    reader.end_line();
    checkpoint.places.push_back(std::move(place));
  }
  while (reader.begins("failed")) {
    CheckpointFailure failure;
    failure.segment = reader.number<std::uint32_t>();
    failure.page_start = reader.place("begin");
    failure.page_end = reader.place("end");
    failure.primary_key = reader.bytes();
    reader.end_line();
    checkpoint.failures.push_back(std::move(failure));
  }
  if (!reader.at_end() || write_checkpoint(checkpoint) != text) CheckpointReader::damaged();
  return checkpoint;
}

/// Errors: `checkpoint_error` that names the part which differs.
inline void check_plan(const CheckpointPlan& stored, const CheckpointPlan& wanted) {
  const auto compare = [](const char* part, const std::string& a, const std::string& b) {
    if (a != b)
      throw checkpoint_error("evenkey: the checkpoint belongs to another " + std::string(part) + ", " + a +
                             ", and this run is about " +
                             (b.empty() ? std::string("none that was named") : b) +
                             ": name the same one, or keep a checkpoint of its own for this run");
  };
  compare("migration", stored.migration, wanted.migration);
  compare("layout", stored.layout, wanted.layout);
  compare("table", stored.table, wanted.table);
  compare("scan source", stored.scan, wanted.scan);
  compare("number of segments", std::to_string(stored.segments), std::to_string(wanted.segments));
}

}  // namespace evenkey::detail
