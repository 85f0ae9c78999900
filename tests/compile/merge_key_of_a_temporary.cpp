// SPDX-License-Identifier: BSL-1.0
// expect: merge_key_stays
#include <evenkey/merge.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

// A source whose items are made on the way and gone at once; a view into one of them would be too.
struct Texts {
  struct Iterator {
    using value_type = std::string;
    using difference_type = std::ptrdiff_t;
    int number;
    std::string operator*() const { return std::to_string(number); }
    Iterator& operator++() { return ++number, *this; }
    Iterator operator++(int) { return {number++}; }
    bool operator==(const Iterator&) const = default;
  };
  static Iterator begin() { return {0}; }
  static Iterator end() { return {9}; }
};

#ifdef EVENKEY_REJECT
inline std::string_view key(const std::string& item) { return item; }
#else
inline std::string key(const std::string& item) { return item; }
#endif

inline auto merge(const std::vector<Texts>& sources, std::string* out) {
  return evenkey::merge_sorted(sources, out, key);
}
