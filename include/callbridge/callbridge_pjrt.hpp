// The C++17 form of the C API for XLAs behind PJRT. Header-only; links to libcallbridge.so.
#ifndef CALLBRIDGE_CALLBRIDGE_PJRT_HPP_
#define CALLBRIDGE_CALLBRIDGE_PJRT_HPP_

#include "callbridge/c_api/callbridge_pjrt.hpp"

#endif  // CALLBRIDGE_CALLBRIDGE_PJRT_HPP_
