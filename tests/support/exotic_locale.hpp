// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <clocale>
#include <locale>
#include <string>

namespace support {

/// While it lives, numbers are grouped (1'234) and have a decimal comma, in C++ and, where the machine has
/// such a locale, in C.
class ExoticLocale {
 public:
  ExoticLocale() : before_(std::locale::global(std::locale(std::locale::classic(), new Punctuation))) {
    const char* const c = std::setlocale(LC_ALL, nullptr);
    c_before_ = c == nullptr ? "C" : c;
    for (const char* const name :
         {"de_CH.UTF-8", "de_DE.UTF-8", "fr_FR.UTF-8", "hi_IN.UTF-8", "ar_EG.UTF-8"}) {
      if (std::setlocale(LC_ALL, name) != nullptr) break;
    }
  }
  ~ExoticLocale() {
    std::setlocale(LC_ALL, c_before_.c_str());
    std::locale::global(before_);
  }
  ExoticLocale(const ExoticLocale&) = delete;
  ExoticLocale& operator=(const ExoticLocale&) = delete;

 private:
  struct Punctuation : std::numpunct<char> {
    char do_thousands_sep() const override { return '\''; }
    char do_decimal_point() const override { return ','; }
    std::string do_grouping() const override { return "\2"; }
  };

  std::locale before_;
  std::string c_before_;
};

}  // namespace support
