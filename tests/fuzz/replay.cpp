// SPDX-License-Identifier: BSL-1.0
//
// Runs a fuzz target without libFuzzer: over every file of the folders that it is given, and over the beginnings
// of each file, since what ends too early is where readers read too far.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "fuzz/fuzz.hpp"

namespace {

constexpr std::size_t most_beginnings = 64;

void run(const std::vector<char>& bytes, std::size_t size) {
  // A copy of its own size, so that the address sanitizer sees a read behind its end.
  const std::vector<std::uint8_t> input(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
  LLVMFuzzerTestOneInput(input.data(), input.size());
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t files = 0;
  for (int i = 1; i < argc; ++i) {
    std::vector<std::filesystem::path> paths;
    for (const auto& entry : std::filesystem::directory_iterator(argv[i]))
      if (entry.is_regular_file()) paths.push_back(entry.path());
    std::sort(paths.begin(), paths.end());
    for (const auto& path : paths) {
      std::fprintf(stderr, "%s\n", path.filename().c_str());
      std::ifstream file(path, std::ios::binary);
      const std::vector<char> bytes(std::istreambuf_iterator<char>(file), {});
      run(bytes, bytes.size());
      const std::size_t step = 1 + bytes.size() / most_beginnings;
      for (std::size_t size = 0; size < bytes.size(); size += step)
        run(bytes, size);
      ++files;
    }
  }
  std::printf("%zu inputs replayed\n", files);
  return files == 0 ? 1 : 0;
}
