// XLA's path; see callbridge/typed_ffi/binding/record.h. IWYU pragma: private
#pragma once
#include "callbridge/typed_ffi/binding/record.h"
