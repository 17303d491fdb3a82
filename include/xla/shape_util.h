// XLA's path; see callbridge/hlo/shape_util.h. IWYU pragma: private
#pragma once
#include "callbridge/hlo/shape_util.h"
