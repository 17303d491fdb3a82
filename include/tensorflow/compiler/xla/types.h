// XLA's path; see callbridge/hlo/types.h. IWYU pragma: private
#pragma once
#include "callbridge/hlo/types.h"
