// The C++ API: open libraries of custom calls, bind their targets, call them. Needs abseil.
#pragma once
#include "callbridge/adapters/bind.h"
#include "callbridge/adapters/entry_points.h"
#include "callbridge/runtime/executor.h"
#include "callbridge/runtime/target_library.h"
