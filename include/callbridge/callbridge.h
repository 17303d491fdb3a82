// The C API.
#pragma once
#include "callbridge/c_api/callbridge.h"
