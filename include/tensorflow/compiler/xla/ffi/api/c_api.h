// XLA's path; see callbridge/typed_ffi/c_api.h. IWYU pragma: private
#pragma once
#include "callbridge/typed_ffi/c_api.h"
