// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <aws/dynamodb/model/ThrottlingReason.h>

namespace Aws::DynamoDB::Model {

/// Only newer versions of the SDK have it.
class ThrottlingException {
  SDK_DOUBLE_MEMBER(SdkReasons, ThrottlingReasons);
};

}  // namespace Aws::DynamoDB::Model
