// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/migrate/checkpoint.hpp>
#include <evenkey/migrate/lease.hpp>
#include <evenkey/migrate/record_store.hpp>

#include <charconv>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
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

/// Where the tool's state lies: in items of one table, each under its own key.
class StatePlace {
 public:
  /// Errors: the table's partition key is no text → `std::runtime_error`.
  StatePlace(dynamodb::Client client, const dynamodb::TableDescription& table)
      : client_(std::move(client)), table_(table.name), keys_(table.keys) {
    const auto type_of = [&](const std::string& attribute) {
      const auto found = table.attribute_types.find(attribute);
      return found == table.attribute_types.end() ? std::string() : found->second;
    };
    if (type_of(keys_.partition_key) != "S")
      throw std::runtime_error(
          "the key " + keys_.partition_key + " of the table " + table_ +
          " is no text, so the tool's state cannot lie there: name another --state-table");
    sort_key_type_ = type_of(keys_.sort_key);
  }

  StateItem item(const std::string& what) const {
    dynamodb::Item key{{keys_.partition_key, "evenkey " + what}};
    if (!keys_.sort_key.empty()) {
      if (sort_key_type_ == "N") {
        key.emplace(keys_.sort_key, dynamodb::number(0));
      } else if (sort_key_type_ == "B") {
        key.emplace(keys_.sort_key, dynamodb::Binary{"evenkey"});
      } else {
        key.emplace(keys_.sort_key, "evenkey");
      }
    }
    return {client_, table_, std::move(key)};
  }

 private:
  dynamodb::Client client_;
  std::string table_;
  dynamodb::KeySchema keys_;
  std::string sort_key_type_;
};

/// The leases of a backfill that several hosts share: an item for each segment, and one that says how many
/// segments there are, so that all hosts agree and others find the leases.
class ItemLeases {
 public:
  ItemLeases(StatePlace place, const std::string& migration)
      : place_(std::move(place)), migration_(migration) {}

  std::optional<std::string> load(std::uint32_t segment) const { return item(segment).load(); }
  bool replace(std::uint32_t segment, const std::optional<std::string>& expected, std::string_view text) {
    return item(segment).replace(expected, text);
  }

  /// Into how many segments the hosts have cut the scan; nothing where none has begun.
  std::optional<std::uint32_t> segments() const {
    const auto text = count().load();
    if (!text) return std::nullopt;
    std::uint32_t number = 0;
    const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), number);
    if (error != std::errc() || end != text->data() + text->size() || number == 0)
      throw std::runtime_error("the number of segments that the hosts share is damaged: " + *text +
                               "; begin anew by --restart");
    return number;
  }
  /// The number that holds for all hosts: that of the first of them.
  std::uint32_t agree_on(std::uint32_t number) const {
    if (!count().replace(std::nullopt, std::to_string(number)))
      if (const auto stored = segments()) return *stored;
    return number;
  }
  /// Forgets all that hosts did; rows that were moved stay moved.
  void remove() const {
    const auto number = segments();
    for (std::uint32_t segment = 0; segment < number.value_or(0); ++segment)
      item(segment).remove();
    count().remove();  // last: whoever is killed before it finds the leases again
  }

 private:
  StateItem count() const { return place_.item("leases " + migration_); }
  StateItem item(std::uint32_t segment) const {
    return place_.item("lease " + migration_ + " " + std::to_string(segment));
  }

  StatePlace place_;
  std::string migration_;
};
static_assert(evenkey::lease_store<ItemLeases>);

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

}  // namespace evenkey_cli
