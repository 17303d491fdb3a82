// The C API from C.
#include <stdio.h>

#include "callbridge/callbridge.h"

int main(void) {
  puts(callbridge_version());
  return 0;
}
