// The C++17 form of callbridge's C API: Library, Target, Site, Call, Run, Attributes; errors as
// results or exceptions. Header-only; links to libcallbridge.so.
#ifndef CALLBRIDGE_CALLBRIDGE_HPP_
#define CALLBRIDGE_CALLBRIDGE_HPP_

#include "callbridge/c_api/callbridge.hpp"

#endif  // CALLBRIDGE_CALLBRIDGE_HPP_
