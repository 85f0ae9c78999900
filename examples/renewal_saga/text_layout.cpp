// SPDX-License-Identifier: BSL-1.0
#include "text_layout.hpp"

#include <algorithm>
#include <numeric>

namespace lab {

std::string Columns::line(const std::vector<std::string>& cells) const {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::size_t blanks = widths_[i] - (std::min)(widths_[i], cells[i].size());
    if (i > 0) line.append(blanks, ' ');
    line += cells[i];
    if (i == 0) line.append(blanks, ' ');
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

std::string Columns::rule() const {
  return std::string(std::accumulate(widths_.begin(), widths_.end(), std::size_t{0}), '-') + "\n";
}

std::string placed(const std::vector<std::pair<std::size_t, std::string>>& texts) {
  std::string line;
  for (const auto& [column, text] : texts) {
    line.resize((std::max)(column, line.size()), ' ');
    line += text;
  }
  return line + "\n";
}

std::string paragraph(std::string_view label, std::size_t indent, std::string_view text) {
  std::string out(label);
  out.resize((std::max)(indent, label.size()), ' ');
  std::size_t column = out.size();
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix((std::min)(word.size() + 1, text.size()));
    if (column > indent && column + 1 + word.size() > text_width) {
      out += "\n" + std::string(indent, ' ');
      column = indent;
    }
    if (column > indent) {
      out += ' ';
      ++column;
    }
    out += word;
    column += word.size();
  }
  return out + "\n";
}

}  // namespace lab
