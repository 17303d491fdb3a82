// A library that registers a name of targets.cc once more.
#include "tests/targets/on_each_platform.h"

namespace {

void Example(void* out, const void**) { *static_cast<float*>(out) = 0; }

}  // namespace

ON_EACH_PLATFORM("only_in_other_example", Example, "b c -> a");
ON_EACH_PLATFORM("example", Example, "b c -> a");
