// Opens a library of custom calls, and prints how many targets it registers, or the error.
#include <stdio.h>

#include "callbridge/callbridge.h"

int main(int argument_count, char** arguments) {
  callbridge_library* library = NULL;
  callbridge_error* error =
      callbridge_library_load(argument_count > 1 ? arguments[1] : "", &library);
  if (error != NULL) {
    printf("%s\n", callbridge_error_code_name(error->code));
    callbridge_error_destroy(error);
    return 1;
  }
  printf("%zu\n", callbridge_library_target_count(library));
  callbridge_library_close(library);
  return 0;
}
