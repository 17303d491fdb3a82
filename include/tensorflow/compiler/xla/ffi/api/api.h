// XLA's path; see callbridge/typed_ffi/binding/ffi.h. IWYU pragma: private
#pragma once
#include "callbridge/typed_ffi/binding/ffi.h"
