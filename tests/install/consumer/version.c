// The C API from C.
#include "callbridge/callbridge.h"

#include <stdio.h>

int main(void) {
  puts(callbridge_version());
  return 0;
}
