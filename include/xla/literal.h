// XLA's path; see callbridge/hlo/literal.h. IWYU pragma: private
#pragma once
#include "callbridge/hlo/literal.h"
