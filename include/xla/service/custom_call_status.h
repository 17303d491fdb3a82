// XLA's path; see callbridge/status_returning/custom_call_status.h. IWYU pragma: private
#pragma once
#include "callbridge/status_returning/custom_call_status.h"
