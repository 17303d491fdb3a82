// Driver functions that the stand-in does not have, as far as XLA's plugins name them: each says so
// and fails.
#include <string>

#include "tests/gpu/driver/entry.h"
#include "tests/gpu/driver/ledger.h"

namespace standin {

static CUresult Refuse(const char* function) {
  ledger::Note(std::string("unknown function called: ") + function);
  return CUDA_ERROR_NOT_SUPPORTED;
}

#define REFUSED(name)     \
  DRIVER_FUNCTION(name) { \
    ENTER_BEFORE_INIT();  \
    return Refuse(#name); \
  }
#include "tests/gpu/driver/refused_functions.inc"

}  // namespace standin
