// XLA's path; see callbridge/hlo/xla_computation.h. IWYU pragma: private
#pragma once
#include "callbridge/hlo/xla_computation.h"
