// XLA's path; see callbridge/hlo/shape.h. IWYU pragma: private
#pragma once
#include "callbridge/hlo/shape.h"
