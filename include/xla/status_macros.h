// XLA's path; see callbridge/hlo/status.h. IWYU pragma: private
#pragma once
#include "callbridge/hlo/status.h"
