// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/read/extras.hpp>
#include <evenkey/read/hydrate/batch_get.hpp>
#include <evenkey/read/hydrate/options.hpp>
#include <evenkey/read/hydrate/result.hpp>
#include <evenkey/read/hydrate/run.hpp>

#include <functional>
#include <type_traits>
#include <utility>
#include <vector>

namespace evenkey {

/// A condition under which a row still is what its entry in the index says: see `unchanged_if`.
template <class Predicate>
struct UnchangedIf {
  Predicate predicate;  ///< from a row to bool
};

/// Tells rows whose index attributes are others by now, as a trailing argument of `hydrate`.
///
/// `same(entry, row)` compares what both have, such as the index's two keys; a row may lack them by now.
/// Together with `Consistency::strong` it finds every entry that the index has not caught up with.
/// Errors: what the predicate throws leaves `hydrate` as it is.
template <class Predicate>
UnchangedIf<std::decay_t<Predicate>> unchanged_if(Predicate&& same) {
  return {std::forward<Predicate>(same)};
}

namespace detail {

template <class T>
constexpr bool is_unchanged_if = false;
template <class Predicate>
constexpr bool is_unchanged_if<UnchangedIf<Predicate>> = true;

struct NeverChanged {
  template <class Entry, class Row>
  constexpr bool operator()(const Entry&, const Row&) const noexcept {
    return true;
  }
};

template <class... Extras>
constexpr NeverChanged change_check_of(const Extras&...) {
  return {};
}
template <class First, class... Rest>
constexpr auto change_check_of(const First& first, const Rest&... rest) {
  if constexpr (is_unchanged_if<First>) {
    return first.predicate;
  } else {
    return change_check_of(rest...);
  }
}

}  // namespace detail

/// What may follow the options of `hydrate`, in any order: an `unchanged_if(…)`, an error classifier, and a
/// clock to wait by.
template <class Extra>
concept hydrate_extra = detail::is_unchanged_if<std::remove_cvref_t<Extra>> ||
    error_classifier<std::remove_cvref_t<Extra>> || read_clock<std::remove_cvref_t<Extra>>;

/// Completes the entries of an index that projects keys alone with their rows of the base table.
///
/// Use it after a read of such an index: `hydrate(read_page(index, query).items, batch_get, key_of)`. It
/// cannot find what the index does not have: rows without the index's keys, and rows that it does not show
/// yet. And it is no saving where most rows of a listing are wanted: project them into the index then.
///
/// Shape: entries by value, move them in; each comes back with its row, or with the word that there is none.
/// Order: as the entries came. Entries of one key are all answered, by one read of it.
/// Cost: BatchGetItem, 100 keys a request, one after the other; each row rounded up to 4 KB by itself, half
/// of it where eventually consistent. Unprocessed keys are asked for again, later and later; so many rounds
/// in a row without any answer as the options say end it.
/// Errors: `hydrate_error` for what could not be read, or `failures`, as the options say; what `key_of` and
/// `unchanged_if` throw, as it is; options out of range → `std::invalid_argument`. An answer that was not
/// asked for is a failure of its batch: `key_of` is wrong then, and all rows would look missing.
/// Threads: the caller's alone. For more at once hydrate parts of the entries in several threads.
/// Source: AWS API reference, BatchGetItem.
/// @param batch_get `batch_get(BatchGetRequest<Key>)` gives a `BatchGetAnswer<Row, Key>`
/// @param key_of gives the base table's key, of an entry as of a row
template <class Entry, class BatchGet, class KeyOf, hydrate_extra... Extras>
auto hydrate(std::vector<Entry> entries, BatchGet&& batch_get, const KeyOf& key_of,
             const HydrateOptions& options = {}, Extras&&... extras) {
  using Key = detail::TableKeyOf<Entry, KeyOf>;
  static_assert(table_key<Key>,
                "evenkey: key_of gives no text: specialise evenkey::start_key_traits for its type, so that "
                "keys can be told apart");
  static_assert(
      batch_get_functor<BatchGet, Key>,
      "evenkey: the functor must take a BatchGetRequest<Key> and return a BatchGetAnswer<Row, Key>, "
      "where Key is what key_of gives");
  detail::check_hydrate_options(options);
  auto classifier = detail::classifier_of(extras...);
  auto& clock = detail::clock_of(extras...);
  detail::HydrateRun<Entry, std::remove_reference_t<BatchGet>, KeyOf, decltype(classifier),
                     std::remove_reference_t<decltype(clock)>>
      run(std::move(entries), batch_get, key_of, options, std::move(classifier), clock);
  return run.result(detail::change_check_of(extras...));
}

}  // namespace evenkey
