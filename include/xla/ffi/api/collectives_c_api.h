// XLA's path; see callbridge/typed_ffi/collectives_c_api.h. IWYU pragma: private
#pragma once
#include "callbridge/typed_ffi/collectives_c_api.h"
