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
  callbridge_target target = {
      sizeof(target), "refuse", "Host", CALLBRIDGE_API_VERSION_STATUS_RETURNING, 1, 0, 0};
  void (*function)(void*, const void**, XlaCustomCallStatus*) = &Refuse;
  memcpy(&target.address, &function, sizeof(function));
  callbridge_site site = {sizeof(site), CALLBRIDGE_ERA_CLASSIC, 0, 0, "()", 0, 0};
  callbridge_error* error = callbridge_execute(&target, &site, 0, 0, 0, 0, 0);
  if (error == 0) return 1;
  const int same = strcmp(error->message, "CustomCall failed: refused");
  callbridge_error_destroy(error);
  return same == 0 ? 0 : 2;
}
