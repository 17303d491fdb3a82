// A runtime of your own, in C: opens two libraries of custom calls, one untyped and one of typed
// FFI handlers, binds targets of both, calls them, and shows how they fail. Compile and run it by
// hand:
//
//   cc -std=c99 runtime.c $(pkg-config --cflags --libs callbridge) -o runtime
//   ./runtime first_light.so example_typed_handlers.so
//
// first_light.so is examples/first_light/old_targets.cc, built with the headers of
// TensorFlow 2.13.1; example_typed_handlers.so is examples/typed_ffi/handlers.cc, which says how to
// build it.
#include <stdio.h>
#include <string.h>

#include "callbridge/callbridge.h"
#include "callbridge/callbridge_ffi.h"

enum { kF32 = 11 };  // xla.PrimitiveType

// Prints and frees `error`. Returns whether there was one.
static int Failed(const char* what, callbridge_error* error) {
  if (error == NULL) return 0;
  printf("%s: %s: %s\n", what, callbridge_error_code_name(error->code), error->message);
  callbridge_error_destroy(error);
  return 1;
}

// Finds a target by its name. Its texts are valid until the library is closed.
static int Find(const callbridge_library* library, const char* name, callbridge_target* target) {
  memset(target, 0, sizeof(*target));
  target->struct_size = sizeof(*target);
  for (size_t i = 0; i < callbridge_library_target_count(library); ++i) {
    if (Failed("target", callbridge_library_target(library, i, target))) return 0;
    if (strcmp(target->name, name) == 0) {
      printf("%s: %s\n", target->name, target->evidence);
      return 1;
    }
  }
  printf("the library has no target %s\n", name);
  return 0;
}

// Calls gather_tuple, an untyped target that takes a nested tuple and returns a tuple.
static int GatherTuple(const callbridge_library* library) {
  // 3. Find the target. What is known of its ABI comes with it.
  callbridge_target target;
  if (!Find(library, "gather_tuple", &target)) return 1;

  // 4. Describe the call: the shapes of its operands and of its result.
  const char* const operands[] = {"(f32[32],(f32[64],f32[128]),f32[256])"};
  callbridge_site site = {0};
  site.struct_size = sizeof(site);
  site.tuple_layout = CALLBRIDGE_TUPLE_LAYOUT_NESTED;
  site.operands = operands;
  site.operand_count = 1;
  site.result = "(f32[480],f32[3])";

  // 5. Bind the target to the call site, once.
  callbridge_call* call = NULL;
  if (Failed("bind", callbridge_call_bind(&target, &site, NULL, &call))) return 1;

  // 6. Execute the call, as often as you like: one pointer for each leaf, in preorder. The target
  //    may write to the lists, so fill them anew for each call.
  static float a[32], b[64], c[128], d[256], row[480], sums[3];
  int failed = 0;
  for (int round = 1; round <= 2 && !failed; ++round) {
    for (int i = 0; i < 256; ++i) {
      if (i < 32) a[i] = (float)round;
      if (i < 64) b[i] = 2;
      if (i < 128) c[i] = 3;
      d[i] = 4;
    }
    void* ins[] = {a, b, c, d};
    void* outs[] = {row, sums};
    failed = Failed("execute", callbridge_call_execute(call, ins, 4, outs, 2, NULL));
    if (!failed) printf("sums: %g %g %g\n", sums[0], sums[1], sums[2]);
  }

  // 7. Destroy the call. The library cannot be closed before.
  callbridge_call_destroy(call);
  return failed;
}

// Calls divide, an untyped target that reports a failure.
static int DivideByZero(const callbridge_library* library) {
  callbridge_target target;
  if (!Find(library, "divide", &target)) return 1;
  const char* const operands[] = {"s32[]", "s32[]"};
  callbridge_site site = {0};
  site.struct_size = sizeof(site);
  site.operands = operands;
  site.operand_count = 2;
  site.result = "s32[]";

  // 8. Or bind, execute and destroy in one function, which also checks the sizes of the arrays.
  int32_t numerator = 42, denominator = 0, quotient = 0;
  const callbridge_array ins[] = {{&numerator, 4}, {&denominator, 4}};
  const callbridge_array out = {&quotient, 4};

  // 9. A target that fails gives an error with its message. This one is expected.
  return !Failed("divide", callbridge_execute(&target, &site, ins, 2, &out, 1, NULL));
}

// Calls affine, a typed FFI handler: slope * x + offset.
static int Affine(const callbridge_library* library) {
  // 11. A typed target is found, bound and called by the same functions.
  callbridge_target target;
  if (!Find(library, "affine", &target)) return 1;

  // 12. Pass it attributes instead of an opaque. Element types have XLA's numbers.
  callbridge_ffi_attributes* attributes = NULL;
  if (Failed("attributes", callbridge_ffi_attributes_create(&attributes))) return 1;
  const float slope = 2, offset = 1;
  const char* const operands[] = {"f32[3]"};
  callbridge_site site = {0};
  site.struct_size = sizeof(site);
  site.operands = operands;
  site.operand_count = 1;
  site.result = "f32[3]";
  site.attributes = attributes;

  // 13. Provide what XLA:CPU provides: a thread pool, a run id and a device ordinal.
  callbridge_execution_context context = {0};
  context.struct_size = sizeof(context);
  context.as_xla_cpu = 1;

  callbridge_call* call = NULL;
  callbridge_run* run = NULL;
  float in[3] = {1, 2, 3}, out[3] = {0};
  void* ins[] = {in};
  void* outs[] = {out};
  int failed =
      Failed("slope", callbridge_ffi_attributes_set_scalar(attributes, "slope", kF32, &slope)) ||
      Failed("offset", callbridge_ffi_attributes_set_scalar(attributes, "offset", kF32, &offset)) ||
      Failed("bind", callbridge_call_bind(&target, &site, &context, &call)) ||
      // 14. Start a run instead of executing, to wait no longer than a timeout for a handler that
      //     finishes later: here 10 seconds.
      Failed("start", callbridge_call_start(call, ins, 1, outs, 1, &context, NULL, NULL, &run)) ||
      Failed("wait", callbridge_run_wait(run, 10000));
  if (!failed) printf("affine: %g %g %g\n", out[0], out[1], out[2]);
  callbridge_run_destroy(run);
  callbridge_call_destroy(call);

  // 15. A handler's error comes as the handler made it. This one is expected: the result is too
  //     small.
  if (!failed) {
    site.result = "f32[2]";
    call = NULL;
    failed = Failed("bind", callbridge_call_bind(&target, &site, &context, &call)) ||
             !Failed("affine", callbridge_call_execute(call, ins, 1, outs, 1, &context));
    callbridge_call_destroy(call);
  }
  callbridge_ffi_attributes_destroy(attributes);
  return failed;
}

int main(int argc, char** argv) {
  if (argc != 3) {
    printf("usage: %s UNTYPED_LIBRARY TYPED_LIBRARY\n", argv[0]);
    return 2;
  }
  // 1. Check the version of the callbridge that is loaded.
  printf("callbridge %s\n", callbridge_version());

  // 2. Open the old library. It wants libtensorflow_cc.so.2, which need not be there.
  callbridge_library* library = NULL;
  if (Failed("load", callbridge_library_load(argv[1], &library))) return 1;
  int failed = GatherTuple(library) || DivideByZero(library);

  // 10. Close the library, and go on with the typed one.
  if (Failed("close", callbridge_library_close(library))) return 1;
  if (failed || Failed("load", callbridge_library_load(argv[2], &library))) return 1;
  failed = Affine(library);
  if (Failed("close", callbridge_library_close(library))) failed = 1;
  return failed;
}
