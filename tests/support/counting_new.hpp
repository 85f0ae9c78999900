// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

// Counts what the program allocates. It replaces operator new: include it in exactly one file of a program.
namespace support {

inline std::atomic<std::size_t> allocations = 0;

/// How often `action` allocated.
template <class Action>
std::size_t allocations_in(Action action) {
  const std::size_t before = allocations;
  action();
  return allocations - before;
}

}  // namespace support

[[gnu::noinline]] void* operator new(std::size_t size) {
  ++support::allocations;
  if (void* const memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
// std::stable_sort asks by this one; the address sanitizer's own would not match the delete below.
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  ++support::allocations;
  return std::malloc(size == 0 ? 1 : size);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
