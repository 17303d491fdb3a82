// XLA's path; see callbridge/hlo/layout_util.h. IWYU pragma: private
#pragma once
#include "callbridge/hlo/layout_util.h"
