// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/page.hpp>

#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

namespace evenkey {

/// Rows by their number: `reader(first, most)` gives up to `most` rows from number `first` on, and none
/// behind the last.
template <class Reader>
concept export_reader = requires(Reader& reader, std::uint64_t first, std::size_t most) {
  typename std::remove_cvref_t<std::invoke_result_t<Reader&, std::uint64_t, std::size_t>>::value_type;
  requires std::same_as<std::remove_cvref_t<std::invoke_result_t<Reader&, std::uint64_t, std::size_t>>,
                        std::vector<typename std::remove_cvref_t<
                            std::invoke_result_t<Reader&, std::uint64_t, std::size_t>>::value_type>>;
};

/// Rows of an export as a scan source of `backfill`. What `scan_export` gives.
template <export_reader Reader>
class ExportScan {
 public:
  /// A row's number.
  using StartKey = std::string;
  /// What the reader gives.
  using Item =
      typename std::remove_cvref_t<std::invoke_result_t<Reader&, std::uint64_t, std::size_t>>::value_type;

  /// @param name of the export, for checkpoints
  ExportScan(Reader reader, std::string name)
      : reader_(std::move(reader)), name_("export:" + std::move(name)) {}

  static constexpr std::size_t page_rows = 1000;  ///< rows of one page

  /// An export is read from one end to the other.
  std::uint32_t total_segments() const noexcept { return 1; }
  /// As checkpoints store it: the export's name.
  std::string_view source_name() const noexcept { return name_; }

  /// One page of the export.
  Page<Item, StartKey> operator()(const ScanRequest<StartKey>& scan) const {
    std::uint64_t first = 0;
    if (scan.exclusive_start_key) first = row_of(*scan.exclusive_start_key);
    const std::size_t most = scan.limit ? *scan.limit : page_rows;
    Page<Item, StartKey> page;
    page.items = std::invoke(reader_, first, most);
    // A reader may give fewer than it was asked for; only none at all is the end.
    if (!page.items.empty()) page.last_evaluated_key = std::to_string(first + page.items.size());
    return page;
  }

 private:
  static std::uint64_t row_of(std::string_view text) {
    std::uint64_t row = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), row);
    if (error != std::errc() || end != text.data() + text.size())
      throw std::invalid_argument("evenkey: an export goes on from a row's number, and this is none: " +
                                  std::string(text));
    return row;
  }

  mutable Reader reader_;
  std::string name_;
};

/// Reads the rows to move from an export of the table instead of the table itself.
///
/// Use it where a scan would cost the table too much. The rows are as old as the export: what changed
/// since is seen by the restamp's condition, and what was created since is stamped by its writer.
/// `check_drift` proves the result.
/// Shape: the scan argument of `backfill`, in one segment; a page is up to 1,000 rows.
/// Cost: no read units. Of rows that changed since, a write unit for the condition that fails.
/// @param reader gives rows by their number, always the same for the same number: see `export_reader`
/// @param name of the export, to tell checkpoints apart
template <class Reader>
requires export_reader<std::decay_t<Reader>> ExportScan<std::decay_t<Reader>> scan_export(
    Reader&& reader, std::string name = {}) {
  return {std::forward<Reader>(reader), std::move(name)};
}

/// The same for rows in memory, which must outlive it.
template <class Item>
auto scan_export(const std::vector<Item>& rows, std::string name = {}) {
  return scan_export(
      [&rows](std::uint64_t first, std::size_t most) {
        std::vector<Item> some;
        for (std::uint64_t i = first; i < rows.size() && some.size() < most; ++i)
          some.push_back(rows[static_cast<std::size_t>(i)]);
        return some;
      },
      std::move(name));
}

}  // namespace evenkey
