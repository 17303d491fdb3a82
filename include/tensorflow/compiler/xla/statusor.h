// XLA's path; see callbridge/hlo/statusor.h. IWYU pragma: private
#pragma once
#include "callbridge/hlo/statusor.h"
