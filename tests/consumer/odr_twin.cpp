// SPDX-License-Identifier: BSL-1.0
// The second of two translation units that use everything; see odr_test.cpp.
#include "odr_probe.hpp"

Sightings look_from_the_twin();

Sightings look_from_the_twin() { return look(); }
