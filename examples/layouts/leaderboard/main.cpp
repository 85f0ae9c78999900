// SPDX-License-Identifier: BSL-1.0
#include <cstdio>
#include <exception>
#include <iostream>

#include "memory_store.hpp"
#include "play.hpp"

int main() {
  try {
    leaderboard::MemoryStore store;
    leaderboard::play(store, std::cout);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
