// XLA's path; see callbridge/hlo/primitive_util.h. IWYU pragma: private
#pragma once
#include "callbridge/hlo/primitive_util.h"
