// XLA's path; see callbridge/hlo/literal_util.h. IWYU pragma: private
#pragma once
#include "callbridge/hlo/literal_util.h"
