// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/index.hpp>
#include <evenkey/migrate/layout_id.hpp>
#include <evenkey/migrate/migration.hpp>
#include <evenkey/migrate/phase.hpp>
#include <evenkey/migrate/record_store.hpp>
#include <evenkey/migrate/record_text.hpp>

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace evenkey {

/// Rows are stored by another layout than the program reads and writes by: with another N, hash, placement,
/// key format, generation or name. Going on would find fewer rows, and put new ones where others do not look.
///
/// Errors: thrown by `check_layout`, before any request. Deploy the layout that is stored, or migrate.
class layout_error : public std::runtime_error {
 public:
  /// @param stored the layout on record @param own what this program has
  layout_error(const std::string& message, std::string stored, std::string own)
      : std::runtime_error(message), stored_(std::move(stored)), own_(std::move(own)) {}

  /// The layout that the rows are stored by, as `layout_of` gave it; empty where the record cannot be read.
  const std::string& stored() const noexcept { return stored_; }
  /// The program's own.
  const std::string& own() const noexcept { return own_; }

 private:
  std::string stored_;
  std::string own_;
};

/// A layout as the text of a record.
/// Source: docs/format/layout-record.md.
inline std::string encode_layout_record(std::string_view layout) {
  return detail::RecordWriter("evenkey-layout/1").line("layout", layout).finish();
}

/// The layout of a record's text; nothing for any text that `encode_layout_record` does not give.
inline std::optional<std::string> parse_layout_record(std::string_view text) {
  detail::RecordReader reader("evenkey-layout/1", text);
  std::string layout = reader.line("layout");
  if (!reader.done() || encode_layout_record(layout) != text) return std::nullopt;
  return layout;
}

namespace detail {

inline std::string stored_layout(std::string_view text, const std::string& own) {
  std::optional<std::string> stored = parse_layout_record(text);
  if (!stored)
    throw layout_error(
        "evenkey: the layout record is damaged or of a later version of evenkey; the program's own "
        "layout is " +
            own,
        {}, own);
  return *std::move(stored);
}

[[noreturn]] inline void refuse_layout(const std::string& stored, const std::string& own) {
  throw layout_error("evenkey: the rows are stored by the layout " + stored + ", and the program's own is " +
                         own +
                         ": reads would miss rows. Deploy the stored layout, or name both in a Migration and "
                         "call adopt_layout when its rows have moved",
                     stored, own);
}

/// What is stored; where nothing is, `first` is from now on.
template <record_store Store>
std::string stored_or_first(Store& store, const std::string& first) {
  std::optional<std::string> text = store.load();
  if (!text) {
    std::string record = encode_layout_record(first);
    if (store.replace(std::nullopt, record)) return first;
    text = store.load();  // another instance was first
    if (!text) throw layout_error("evenkey: the layout record cannot be stored or loaded", {}, first);
  }
  return stored_layout(*text, first);
}

}  // namespace detail

/// Compares the layout that rows are stored by with the index's own. Call it at start-up, before any request:
/// a changed N then fails loudly, instead of finding fewer rows.
///
/// @param text a layout record, from wherever the application keeps it
/// Errors: another layout, or no record → `layout_error`, which names both.
/// Source: docs/format/layout-record.md.
template <index_definition Index>
void check_layout(std::string_view text, const Index& index) {
  const std::string own = layout_of(index);
  const std::string stored = detail::stored_layout(text, own);
  if (stored != own) detail::refuse_layout(stored, own);
}

/// The same against a store. The first to come stores its layout: begin with an instance that is right.
///
/// Cost: one `load`; at first use a `replace`.
/// Errors: another layout → `layout_error`, which names both; what the store throws.
template <record_store Store, index_definition Index>
void check_layout(Store& store, const Index& index) {
  const std::string own = layout_of(index);
  const std::string stored = detail::stored_or_first(store, own);
  if (stored != own) detail::refuse_layout(stored, own);
}

/// The same for an instance that runs in a phase of a migration: phases that read both sides take either
/// side's layout, the first and the last phase only their own.
///
/// Before any instance enters `destination`, `adopt_layout` puts the destination's in place of the source's.
/// Errors: a layout that this phase does not read → `layout_error`; what the store throws.
template <record_store Store, class Index, class From, class To>
void check_layout(Store& store, const Migration<Index, From, To>& migration, Phase phase) {
  const std::string source = detail::side_layout(migration.index().name, migration.source());
  const std::string destination = detail::side_layout(migration.index().name, migration.destination());
  const std::string& own = detail::reads_source(phase) ? source : destination;
  const std::string stored = detail::stored_or_first(store, own);
  const bool known = (detail::reads_source(phase) && stored == source) ||
                     (detail::reads_destination(phase) && stored == destination);
  if (!known) detail::refuse_layout(stored, own);
}

/// Says in the record that rows are now stored by the destination's layout: to be called in
/// `destination_writes`, after the backfill, before the first instance enters `destination`. Doing it again
/// changes nothing. The way back calls it with the reversed migration.
///
/// Errors: the record is of neither side → `layout_error`; what the store throws.
template <record_store Store, class Index, class From, class To>
void adopt_layout(Store& store, const Migration<Index, From, To>& migration) {
  const std::string source = detail::side_layout(migration.index().name, migration.source());
  const std::string destination = detail::side_layout(migration.index().name, migration.destination());
  const std::string record = encode_layout_record(destination);
  for (;;) {
    const std::optional<std::string> text = store.load();
    if (text) {
      const std::string stored = detail::stored_layout(*text, destination);
      if (stored == destination) return;
      if (stored != source) detail::refuse_layout(stored, destination);
    }
    if (store.replace(text, record)) return;
  }
}

}  // namespace evenkey
