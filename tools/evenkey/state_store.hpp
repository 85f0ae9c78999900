// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/migrate/checkpoint.hpp>
#include <evenkey/migrate/lease.hpp>
#include <evenkey/migrate/record_store.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "client.hpp"

namespace evenkey_cli {

/// The attribute that holds a state item's text; rows that have it are none of the table's own.
inline constexpr std::string_view state_attribute = "evenkey_state";

/// One text in one item, changed by conditional writes only.
///
/// A write whose answer was lost is made again by the client, and its condition fails then: what is stored
/// tells whether it was ours, since no text of evenkey's comes back.
class StateItem {
 public:
  StateItem(dynamodb::Client client, std::string table, dynamodb::Item key)
      : client_(std::move(client)), table_(std::move(table)), key_(std::move(key)) {}

  std::optional<std::string> load() const {
    const auto item = client_.get(table_, key_, dynamodb::Consistency::strong);
    if (!item) return std::nullopt;
    return std::string(dynamodb::text_of(*item, state_attribute));
  }

  bool replace(const std::optional<std::string>& expected, std::string_view text) {
    dynamodb::WriteInput input{.table = table_,
                               .item = key_,
                               .condition = "attribute_not_exists(#text)",
                               .placeholders = {{{"#text", std::string(state_attribute)}}, {}}};
    input.item.emplace(state_attribute, text);
    if (expected) {
      input.condition = "#text = :expected";
      input.placeholders.values.emplace(":expected", *expected);
    }
    try {
      client_.put(input);
      return true;
    } catch (const dynamodb::Error& error) {
      if (error.kind() != evenkey::ErrorKind::condition_failed) throw;
      return load() == std::string(text);
    }
  }

  void remove() const { client_.remove({.table = table_, .item = key_}); }

 private:
  dynamodb::Client client_;
  std::string table_;
  dynamodb::Item key_;
};
static_assert(evenkey::record_store<StateItem>);

/// A backfill's checkpoint in an item. Of two runs by one checkpoint, the one that is behind ends.
class ItemCheckpoint : public evenkey::CheckpointStore {
 public:
  explicit ItemCheckpoint(StateItem item) : item_(std::move(item)) {}

  std::optional<std::string> load() override {
    stored_ = item_.load();
    return stored_;
  }
  void save(std::string_view checkpoint) override {
    if (!item_.replace(stored_, checkpoint))
      throw std::runtime_error(
          "another backfill of this migration saved its place meanwhile: let one run go on alone");
    stored_ = std::string(checkpoint);
  }

 private:
  StateItem item_;
  std::optional<std::string> stored_;
};

/// The leases of a backfill that several hosts share: an item for each segment.
class ItemLeases {
 public:
  /// @param item_of gives the item of a segment
  explicit ItemLeases(std::function<StateItem(std::uint32_t)> item_of) : item_of_(std::move(item_of)) {}

  std::optional<std::string> load(std::uint32_t segment) { return item(segment).load(); }
  bool replace(std::uint32_t segment, const std::optional<std::string>& expected, std::string_view text) {
    return item(segment).replace(expected, text);
  }
  void remove(std::uint32_t segment) { item(segment).remove(); }

 private:
  StateItem& item(std::uint32_t segment) {
    const auto found = items_.find(segment);
    return found != items_.end() ? found->second : items_.emplace(segment, item_of_(segment)).first->second;
  }

  std::function<StateItem(std::uint32_t)> item_of_;
  std::map<std::uint32_t, StateItem> items_;
};
static_assert(evenkey::lease_store<ItemLeases>);

}  // namespace evenkey_cli
