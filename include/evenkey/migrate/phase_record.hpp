// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/composite_key.hpp>
#include <evenkey/fields.hpp>
#include <evenkey/migrate/advance.hpp>
#include <evenkey/migrate/migration.hpp>
#include <evenkey/migrate/phase.hpp>
#include <evenkey/migrate/record_store.hpp>
#include <evenkey/migrate/record_text.hpp>
#include <evenkey/migrate/walk_extras.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

namespace evenkey {

/// The phase that a migration's instances run in, as they share it.
/// Source: docs/format/phase-record.md.
struct PhaseRecord {
  /// Counts the changes, from 1.
  std::uint64_t version = 0;
  /// The migration's id; that of the reversed one on the way back.
  std::string migration;
  Phase phase = Phase::source;  ///< where the migration stands
  /// To the millisecond; years 0000 to 9999.
  std::chrono::sys_time<std::chrono::milliseconds> changed_at{};
  /// Who changed it: for people.
  std::string changed_by;

  friend bool operator==(const PhaseRecord&, const PhaseRecord&) = default;
};

/// An instance may not run in its phase: the shared record says one that is not its own or a neighbour, is of
/// another migration, or cannot be read.
///
/// Errors: thrown by `check_phase`. Such an instance must not start, or must stop.
class phase_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A record as text: what a `record_store` keeps.
/// Errors: a time outside the years 0000 to 9999 → `key_error`.
inline std::string encode_phase_record(const PhaseRecord& record) {
  return detail::RecordWriter("evenkey-phase/1")
      .line("version", std::to_string(record.version))
      .line("migration", record.migration)
      .line("phase", phase_name(record.phase))
      .line("changed_at", CompositeKey<Timestamp>::encode(record.changed_at))
      .line("changed_by", record.changed_by)
      .finish();
}

/// The record of a text; nothing for any text that `encode_phase_record` does not give.
inline std::optional<PhaseRecord> parse_phase_record(std::string_view text) {
  detail::RecordReader reader("evenkey-phase/1", text);
  PhaseRecord record;
  const std::string version = reader.line("version");
  record.migration = reader.line("migration");
  const std::optional<Phase> phase = parse_phase(reader.line("phase"));
  const std::string time = reader.line("changed_at");
  const auto changed_at = CompositeKey<Timestamp>::decode(time);
  record.changed_by = reader.line("changed_by");
  if (!reader.done() || !phase || !changed_at) return std::nullopt;
  constexpr std::size_t most_digits = 19;  // that no number overflows
  if (version.empty() || version.size() > most_digits ||
      version.find_first_not_of("0123456789") != std::string::npos)
    return std::nullopt;
  for (const char digit : version)
    record.version = record.version * 10 + static_cast<unsigned>(digit - '0');
  record.phase = *phase;
  record.changed_at = std::get<0>(*changed_at);
  if (encode_phase_record(record) != text) return std::nullopt;  // zeros in front, a needless escape
  return record;
}

namespace detail {

/// Whether a record is of a migration that has ended where this one begins.
template <class Index, class From, class To>
bool has_ended_at_source(const Migration<Index, From, To>& migration, const PhaseRecord& record) {
  if (record.phase != Phase::destination) return false;
  const std::string begin = std::string(migration.index().name) + ": ";
  const std::string end = " -> " + side_id(migration.source());
  std::string_view id = record.migration;
  if (id.size() < begin.size() + end.size() || !id.starts_with(begin) || !id.ends_with(end)) return false;
  id.remove_prefix(begin.size());
  id.remove_suffix(end.size());
  return id.find(" -> ") == id.npos;  // a key with an arrow in it: which side it is of cannot be told
}

/// What a record means for a migration.
struct RecordedPhase {
  Phase phase;
  bool turned = false;  // the record goes the other way, and its phases count downward
};

/// Nothing where the record is of a migration that has nothing to do with this one.
template <class Index, class From, class To>
std::optional<RecordedPhase> phase_for(const Migration<Index, From, To>& migration,
                                       const PhaseRecord& record) {
  if (record.migration == migration.id()) return RecordedPhase{record.phase};
  if constexpr (requires { migration.reversed(); }) {  // a second index has no way back
    if (record.migration == migration.reversed().id()) return RecordedPhase{mirror(record.phase), true};
    if (has_ended_at_source(migration.reversed(), record)) return RecordedPhase{Phase::destination, true};
  }
  if (has_ended_at_source(migration, record)) return RecordedPhase{Phase::source};
  return std::nullopt;
}

template <class Index, class From, class To>
std::string other_migration(const Migration<Index, From, To>& migration, const PhaseRecord& record) {
  return "the phase record is of another migration: " + record.migration + "; this one is " + migration.id();
}

}  // namespace detail

/// Where a migration stands by a shared record; nothing where the record is of another migration.
///
/// A record of the reversed migration means the mirrored phase. One of a migration that has ended where this
/// one begins means `source`: the next migration of an index goes on from the last one's record.
template <class Index, class From, class To>
std::optional<Phase> recorded_phase(const Migration<Index, From, To>& migration, const PhaseRecord& record) {
  const std::optional<detail::RecordedPhase> recorded = detail::phase_for(migration, record);
  if (!recorded) return std::nullopt;
  return recorded->phase;
}

/// Whether an instance may run in its phase beside those that the shared record stands for. Call it at
/// start-up, and now and then while running: an instance that was left behind must stop.
///
/// The record goes first and the instances follow, so an instance may be in the record's phase or in the one
/// before it, which the rollout has not reached yet. An instance that is ahead is refused too: it could live
/// beside one that lags behind, two phases apart; and `destination` would be read before the evidence is in.
/// Errors: a record of another phase, or of another migration → `phase_error`. A record of the reversed
/// migration counts by its mirrored phase: the one before it is the neighbour that the turn left behind. One
/// of a migration that has ended where this one begins counts as `source`.
template <class Index, class From, class To>
void check_phase(const Migration<Index, From, To>& migration, const PhaseRecord& record, Phase own_phase) {
  const std::optional<detail::RecordedPhase> recorded = detail::phase_for(migration, record);
  if (!recorded) throw phase_error("evenkey: " + detail::other_migration(migration, record));
  const int ahead = static_cast<int>(recorded->phase) - static_cast<int>(own_phase);
  const int behind = recorded->turned ? -ahead : ahead;
  if (behind == 0 || behind == 1) return;
  const std::string stands =
      std::string(phase_name(recorded->phase)) +
      (record.version == 0 ? std::string(" (there is no phase record yet)")
                           : " since " + CompositeKey<Timestamp>::encode(record.changed_at) + " (by " +
                                 record.changed_by + ")");
  throw phase_error("evenkey: this instance runs in phase " + std::string(phase_name(own_phase)) +
                    ", and the migration stands in " + stands +
                    (behind < 0 ? ": move the record first, by advance_phase, then the instances"
                                : ": one would miss what the other writes; deploy an instance of phase " +
                                      std::string(phase_name(recorded->phase))));
}

/// The same with the record that a store has. No record yet stands for `source`.
///
/// Errors: as above; a text that is no record → `phase_error`; what the store throws.
template <record_store Store, class Index, class From, class To>
void check_phase(const Migration<Index, From, To>& migration, Store& store, Phase own_phase) {
  const std::optional<std::string> text = store.load();
  PhaseRecord record{0, migration.id(), Phase::source, {}, "nobody yet"};
  if (text) {
    std::optional<PhaseRecord> parsed = parse_phase_record(*text);
    if (!parsed) throw phase_error("evenkey: the phase record is damaged or of a later version of evenkey");
    record = *std::move(parsed);
  }
  check_phase(migration, record, own_phase);
}

/// Whether a mover of this migration may run: `backfill`, `watch_source`. Call it before a mover starts, and
/// let one that runs for long call it now and then (`WatchOptions::before_poll`).
///
/// Stricter than `check_phase`: once the way back has begun, readers may ask the destination before the source,
/// and a row that a forward mover takes to the destination in between is missed. So a record of the reversed
/// migration is refused whatever it says.
/// Errors: a record that is not this migration's own, or of a phase before `destination_writes`; no record, or
/// a text that is none → `phase_error`. What the store throws.
template <record_store Store, class Index, class From, class To>
void check_mover(const Migration<Index, From, To>& migration, Store& store) {
  const std::optional<std::string> text = store.load();
  if (!text)
    throw phase_error("evenkey: there is no phase record, so no mover of " + migration.id() +
                      " may run: take the steps to destination_writes first, by advance_phase");
  const std::optional<PhaseRecord> record = parse_phase_record(*text);
  if (!record) throw phase_error("evenkey: the phase record is damaged or of a later version of evenkey");
  if (record->migration != migration.id())
    throw phase_error("evenkey: " + detail::other_migration(migration, *record) +
                      "; end this mover, or it takes rows away from readers");
  if (!detail::writes_destination(record->phase))
    throw phase_error("evenkey: " + migration.id() + " stands in " + std::string(phase_name(record->phase)) +
                      ", and rows may be moved from destination_writes on: advance and deploy first");
}

/// Takes a step of a migration in the shared record, if `Migration::advance` allows it and the record still
/// stands where the step begins.
///
/// Order: move the record first, then deploy instances of the new phase; it is a neighbour of the old one, so
/// both may run.
/// Errors: a refusal is returned with its reasons, and the record stays as it is. Of two that step at once
/// one is refused. What the store throws leaves it open whether the step was taken: load the record.
/// @param by who takes the step: for people
/// @param extras a clock with `system_now()`, by which the record is dated; else it is the system's
template <record_store Store, class Index, class From, class To, walk_extra... Extras>
[[nodiscard]] Advance advance_phase(Store& store, const Migration<Index, From, To>& migration, Phase from,
                                    Phase to, const Evidence& evidence, std::string_view by,
                                    Extras&&... extras) {
  Advance answer = migration.advance(from, to, evidence);
  const std::optional<std::string> text = store.load();
  PhaseRecord record{0, migration.id(), Phase::source, {}, {}};
  if (text) {
    std::optional<PhaseRecord> parsed = parse_phase_record(*text);
    if (!parsed) {
      answer.refuse("the phase record is damaged or of a later version of evenkey");
      return answer;
    }
    record = *std::move(parsed);
  }
  const std::optional<Phase> recorded = recorded_phase(migration, record);
  if (!recorded) {
    answer.refuse(detail::other_migration(migration, record));
  } else if (*recorded != from) {
    answer.refuse("the record says that the migration stands in " + std::string(phase_name(*recorded)) +
                  ", not in " + std::string(phase_name(from)));
  }
  if (!answer.allowed()) return answer;
  const auto now = std::chrono::floor<std::chrono::milliseconds>(
      detail::wall_time(detail::clock_of(extras...)));  // dates are for people
  const PhaseRecord next{record.version + 1, migration.id(), to, now, std::string(by)};
  if (!store.replace(text, encode_phase_record(next)))
    answer.refuse("the phase record was changed by another at the same time: load it and look");
  return answer;
}

}  // namespace evenkey
