// XLA's path; see callbridge/client/client_library.h. IWYU pragma: private
#pragma once
#include "callbridge/client/client_library.h"
