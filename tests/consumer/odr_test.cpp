// SPDX-License-Identifier: BSL-1.0
#include <doctest/doctest.h>

#include "odr_probe.hpp"

Sightings look_from_the_twin();
int use_with_hostile_macros();

TEST_SUITE("consumer") {
  TEST_CASE(
      "F37 two translation units share each constant, and their functions answer alike, for N = 1, 10, 256") {
    const Sightings here = look();
    const Sightings there = look_from_the_twin();
    CHECK(here.addresses == there.addresses);
    CHECK(here.answers == there.answers);
    CHECK(here.answers.size() == 3 * 2 + 2 * (1 + 10 + 256) + 1);
  }

  TEST_CASE("a program that has defined min, max, CHECK, ERROR, IN and OUT can use everything") {
    CHECK(use_with_hostile_macros() == 13);
  }
}
