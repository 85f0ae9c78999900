// SPDX-License-Identifier: BSL-1.0
#pragma once

// Not fields.hpp, whose timestamps need <chrono>: a program that has keys alone would read it for nothing.
#include <evenkey/fields/field_list.hpp>
#include <evenkey/fields/key_field.hpp>
#include <evenkey/fields/number.hpp>
#include <evenkey/fields/text.hpp>
#include <evenkey/key/listed_keys.hpp>

#include <string>
#include <string_view>

namespace evenkey {

/// Sharded partition keys whose prefix is made of fields at run time: `OUTBOX#{topic}#{shard}`.
///
/// Use it where one index holds several sharded lists, one a topic or tenant; bind once and keep the object.
/// The alias `ShardedKeyFamily<Policy, Fields…>` has the default format.
/// Shape: `bind(values…)` → `Bound`, the interface of `ShardedKey` on an object, which owns its N strings;
/// copies share them. Values and separator are as for `CompositeKey`; the format's separator joins the
/// fields, too.
/// Errors: a field that refuses its value, or a key of more than 2048 bytes → `key_error`.
/// Source: docs/format/keys.md.
template <class KeyPolicy, KeyFormat Format, key_field... Fields>
class BasicShardedKeyFamily {
  static constexpr detail::KeyText without_prefix_{"", Format, KeyPolicy::shard_count};
  static_assert(is_key_separator(Format.separator),
                "evenkey: KeyFormat::separator must be printable ASCII and no letter or digit");
  static_assert(KeyPolicy::shard_count == 0 || without_prefix_.width_fits(),
                "evenkey: KeyFormat::width is too small for the number of the last shard: widen it, or take "
                "0 for none");
  static_assert(sizeof...(Fields) > 0, "evenkey: a ShardedKeyFamily has at least one field");
  static_assert(
      (detail::separable_field<Fields, Format.separator> && ...),
      "evenkey: a field's own text can contain the separator, so it could not be read back: take another");

  using List = detail::FieldList<Format.separator, Fields...>;

 public:
  /// Which shard an id falls on, whatever the prefix.
  using Policy = KeyPolicy;
  static constexpr KeyFormat format = Format;  ///< how a shard's number is written

  /// The keys of one prefix.
  class Bound : public detail::ListedKeys<KeyPolicy> {
    friend BasicShardedKeyFamily;
    explicit Bound(std::string_view prefix)
        : detail::ListedKeys<KeyPolicy>({prefix, Format, KeyPolicy::shard_count}, KeyPolicy{}) {}
  };

  /// The N keys of the prefix that these values make.
  /// Cost: N strings; bind once, not for every row.
  template <class... Values>
  [[nodiscard]] static Bound bind(const Values&... values) {
    static_assert(sizeof...(Values) == List::value_count,
                  "evenkey: bind takes one value for each field but Literals");
    return Bound(
        List::template join<sizeof...(Fields), detail::Ending::none>(detail::KeyText::max_size, values...));
  }
};

/// The family with the default format.
template <class KeyPolicy, key_field... Fields>
using ShardedKeyFamily = BasicShardedKeyFamily<KeyPolicy, KeyFormat{}, Fields...>;

}  // namespace evenkey
