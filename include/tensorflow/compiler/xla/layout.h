// XLA's path; see callbridge/hlo/layout.h. IWYU pragma: private
#pragma once
#include "callbridge/hlo/layout.h"
