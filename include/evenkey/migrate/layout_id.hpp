// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/index.hpp>
#include <evenkey/shard_policy.hpp>

#include <string>
#include <string_view>

namespace evenkey {

namespace detail {

/// How one side's keys are called in layouts: the first key and what the others follow from,
/// `RenewalSaga#0 (xxh3_64/mod/16 #n)`.
template <class Keys>
std::string side_id(const Keys& keys) {
  return std::string(keys.at(ShardId{0})) + " (" + std::string(keys.layout()) + ")";
}

template <class Keys>
std::string side_layout(std::string_view index_name, const Keys& keys) {
  return std::string(index_name) + ": " + side_id(keys);
}

/// How a migration is called in reports, checkpoints and phase records.
template <class From, class To>
std::string migration_id(std::string_view index_name, const From& from, const To& to) {
  return std::string(index_name) + ": " + side_id(from) + " -> " + side_id(to);
}

}  // namespace detail

/// The layout of an index as text: its name, its first partition key, hash, placement, N and key format, such
/// as `renewal-saga-person-index: RenewalSaga#0 (xxh3_64/mod/16 #n)`.
///
/// It is part of the stored data: an application keeps it beside the rows and compares it at start-up with
/// `check_layout`, so that a changed N fails loudly instead of finding fewer rows.
/// Source: docs/format/layout-record.md.
template <index_definition Index>
std::string layout_of(const Index& index) {
  if constexpr (requires { index.read_layout(); }) {
    return index.read_layout();
  } else {
    return detail::side_layout(index.name, detail::partition_keys_of(index));
  }
}

}  // namespace evenkey
