// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sdk_double/dynamodb.hpp>
