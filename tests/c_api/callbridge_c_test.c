#include "tests/c_api/callbridge_c_test.h"

#include <string.h>

#include "callbridge/callbridge.h"
#include "xla/service/custom_call_status.h"

static void Refuse(void* out, const void** in, XlaCustomCallStatus* status) {
  (void)out;
  (void)in;
  XlaCustomCallStatusSetFailure(status, "refused", strlen("refused"));
}

int CallFromC(void) {
  callbridge_target target = {0};
  target.struct_size = sizeof(target);
  target.name = "refuse";
  target.platform = "Host";
  target.api_version = CALLBRIDGE_API_VERSION_STATUS_RETURNING;
  target.api_version_is_proved = 1;
  void (*function)(void*, const void**, XlaCustomCallStatus*) = &Refuse;
  memcpy(&target.address, &function, sizeof(function));
  callbridge_site site = {0};
  site.struct_size = sizeof(site);
  site.result = "()";
  callbridge_error* error = callbridge_execute(&target, &site, 0, 0, 0, 0, 0);
  if (error == 0) return 1;
  const int same = strcmp(error->message, "CustomCall failed: refused");
  callbridge_error_destroy(error);
  return same == 0 ? 0 : 2;
}
