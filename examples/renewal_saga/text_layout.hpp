// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lab {

/// What fits a terminal, a log and a page of the README.
inline constexpr std::size_t text_width = 100;

/// Columns of fixed widths; the first is flush left, the others right. ASCII only: a byte is a column.
class Columns {
 public:
  explicit Columns(std::vector<std::size_t> widths) : widths_(std::move(widths)) {}
  std::string line(const std::vector<std::string>& cells) const;
  std::string rule() const;

 private:
  std::vector<std::size_t> widths_;
};

/// A line of texts, each from its own column on.
std::string placed(const std::vector<std::pair<std::size_t, std::string>>& texts);

/// `label` and then `text`, broken at blanks, its later lines set under its first.
std::string paragraph(std::string_view label, std::size_t indent, std::string_view text);

}  // namespace lab
