// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

// What the fuzz targets share. A target is a file *_fuzz.cpp with one function LLVMFuzzerTestOneInput; it is
// run by libFuzzer, or by replay.cpp over the files of its corpus.
namespace fuzz {

/// Ends the program where something does not hold, and says what.
inline void require(bool holds, const char* that) {
  if (holds) return;
  std::fprintf(stderr, "fuzz: it does not hold that %s\n", that);
  std::abort();
}

/// Bytes of the input, taken from its front; where there are no more, zeros and empty texts.
class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size) : bytes_(reinterpret_cast<const char*>(data), size) {}

  bool empty() const { return bytes_.empty(); }
  std::size_t byte() {
    const std::string_view taken = text(1);
    return taken.empty() ? 0 : static_cast<unsigned char>(taken[0]);
  }
  std::size_t below(std::size_t n) { return byte() % n; }
  std::uint64_t number() {
    std::uint64_t value = 0;
    for (int i = 0; i < 8; ++i)
      value = value << 8U | byte();
    return value;
  }
  std::string_view text(std::size_t size) {
    const std::string_view taken = bytes_.substr(0, size);
    bytes_.remove_prefix(taken.size());
    return taken;
  }
  /// Text of which the input says the length too.
  std::string_view text() { return text(byte()); }
  std::string_view rest() { return text(bytes_.size()); }

 private:
  std::string_view bytes_;
};

/// All that operator new has given so far, what was given back too.
std::size_t allocated_bytes();

/// While it lives, no more may be allocated than some bytes for each byte of the input: so that no length field
/// can ask for memory, and work that allocates is linear.
class LinearMemory {
 public:
  /// @param fixed what any input takes, besides 16 KiB
  explicit LinearMemory(std::size_t input_size, std::size_t for_each_byte = 64, std::size_t fixed = 0)
      : most_(allocated_bytes() + input_size * for_each_byte + 16'384 + fixed) {}
  LinearMemory(const LinearMemory&) = delete;
  LinearMemory& operator=(const LinearMemory&) = delete;
  ~LinearMemory() { require(allocated_bytes() <= most_, "memory is linear in the size of the input"); }

 private:
  std::size_t most_;
};

}  // namespace fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
