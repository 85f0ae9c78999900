// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sdk_double/core.hpp>

namespace Aws {
struct SDKOptions {};
inline void InitAPI(const SDKOptions&) {}
inline void ShutdownAPI(const SDKOptions&) {}
}  // namespace Aws
