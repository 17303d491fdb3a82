#include <functional>

#include "CLI/CLI.hpp"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "callbridge/abi/shape_text.h"
#include "callbridge/adapters/target_abis.h"
#include "callbridge/tools/attribute.h"
#include "callbridge/tools/command_line.h"
#include "callbridge/tools/run_command.h"

namespace callbridge {
namespace {

constexpr char kRunDescription[] =
    "Calls the custom call TARGET of the shared library FILE, or runs the HLO module FILE, without "
    "XLA";

constexpr char kRunFooter[] = R"(Operands
  x.npy                  an array
  bf16:x.npy             an array of a type that .npy files cannot name: bf16, s4, u4, f8e4m3fn, ...
  '(a.npy,(b.npy,()))'   a tuple, also nested or empty, of any of these
  token[]                a token
Big-endian and column-major files are converted.

TARGET may also be a function that FILE exports and does not register, by its symbol, if --abi says how
it is called.

TARGET may be a typed FFI handler that FILE registers by callbridge's headers; it gets the arrays in
preorder, and what XLA:CPU provides: a thread pool, a device ordinal, a run id.

FILE may also be an HLO module, in a serialized proto or in HLO text; then there is no TARGET, the
operands are the module's parameters, and --library names the libraries of its custom calls.

FILE:FUNCTION is an AOT operator of MindSpore, of a library or of a source file (.cc, .cpp, .cu), which
is compiled; there is no TARGET either, and --result may be left out if the operator has an InferShape.

Shapes are written as XLA writes them: f32[8,4], (f32[32],(s8[4],pred[])), token[].

Targets for CUDA get pointers to host memory and a null stream, unless --device names a device; then
they get its memory and a stream, and typed handlers what XLA:GPU provides: also the device ordinal, a
run id and scratch memory. In a module, all custom calls run on the device, on copies of their operands.

TARGET gets 4-bit and smaller elements as XLA:CPU passes them: packed, the first in the lowest bits.

Output files have the dtype that numpy.save would write. NumPy cannot name bf16, s4 and so on, so
these are saved as void: numpy.load(file).view(ml_dtypes.bfloat16).

Examples
  callbridge run libold.so do_custom_call b.npy c.npy --result f32[2048] --output a.npy
  callbridge run libold.so sums '(x.npy,(bf16:y.npy,x.npy))' --result '(f32[],(f32[],f32[]))' --json
  callbridge run libplain.so add_one x.npy --abi original --result f32[4]
  callbridge run libtyped.so scale x.npy --attribute factor=0.5:f32 --result f32[4]
  callbridge run module.hlo b.npy c.npy --library libold.so --output a.npy
  callbridge run ./add.cc:CustomAdd b.npy c.npy --result f32[2048] --output a.npy

FILE is native code and runs in a child of this process, with your rights: run only what you trust. A
crash of TARGET is an error that names its operands.

Exit status: 0 on success, 1 if the call failed or could not be made, 2 if the command line is wrong.)";

// Returns the parsed value. Throws CLI11's error if the parser failed.
template <typename T>
T ValueOrThrow(absl::StatusOr<T> value, const std::string& option) {
  if (!value.ok()) throw CLI::ValidationError(option, std::string(value.status().message()));
  return *std::move(value);
}

}  // namespace

CLI::App* AddRunCommand(CLI::App* app, RunOptions* options) {
  CLI::App* run = app->add_subcommand("run", kRunDescription);
  run->footer(kRunFooter);
  run->add_option("FILE", options->file, "The library, or the module")->type_name("")->required();
  run->add_option(
         "TARGET", options->target,
         "The custom call's name, or the function's; without one, an error lists what FILE "
         "registers")
      ->type_name("");
  TakeEachUnchanged(run->add_option_function<std::vector<std::string>>(
                        "OPERAND",
                        [=](const std::vector<std::string>& texts) {
                          for (const std::string& text : texts) {
                            options->operands.push_back(
                                ValueOrThrow(ParseOperand(text), "OPERAND"));
                          }
                        },
                        "The operands, see below"))
      ->type_name("");

  run->add_option_function<std::string>(
         "--result",
         [=](const std::string& text) {
           options->result = ValueOrThrow(ParseShape(text), "--result");
         },
         "The shape that the target returns (required for a library's target)")
      ->type_name("SHAPE");
  run->add_option(
         "--output", options->outputs,
         "Write the result to this .npy file; repeat it for each array of a tuple, in order")
      ->type_name("FILE")
      ->allow_extra_args(false);
  run->add_option("--library", options->libraries,
                  "For a module: a library that registers its custom calls; may be repeated")
      ->type_name("FILE")
      ->allow_extra_args(false);
  run->add_flag("--json", options->json, "Print what was returned as JSON");
  run->add_flag(
      "--isolate", options->isolate,
      "Load FILE in another process first, so that a constructor in it that crashes, exits "
      "or hangs is an error");

  run->add_flag("--in-process", options->in_process,
                "Make the call in this process, for debuggers: a crash ends it");

  run->add_option_function<std::string>(
         "--abi",
         [=](const std::string& text) {
           options->abi = ValueOrThrow(ParseApiVersion(text), "--abi");
         },
         absl::StrCat("The target's ABI, if the library does not prove it: ", TargetAbiNames()))
      ->type_name("ABI");
  CLI::Option* platform = run->add_option_function<std::string>(
                                 "--platform",
                                 [=](const std::string& text) {
                                   options->platform =
                                       ValueOrThrow(ParsePlatform(text), "--platform");
                                 },
                                 "Where the target is registered: Host (the default), CUDA or ROCM")
                              ->type_name("PLATFORM");
  CLI::Option* device =
      run->add_option(
             "--device", options->device,
             "Run on this CUDA device, counted from 0 of those that CUDA_VISIBLE_DEVICES shows: "
             "--platform is CUDA then; operands are copied to the device and results back")
          ->type_name("N")
          ->check(CLI::NonNegativeNumber);
  run->add_flag("--sync", options->synchronizes,
                "With --device: wait for the device after each call, so that an asynchronous error "
                "comes with the call that caused it")
      ->needs(device);
  run->callback([=] {
    if (!options->device.has_value()) return;
    if (platform->count() > 0 && options->platform != Platform::kCuda) {
      throw CLI::ValidationError("--device", absl::StrCat("expected no --platform but CUDA, got ",
                                                          PlatformName(options->platform)));
    }
    options->platform = Platform::kCuda;
  });
  run->add_option_function<std::string>(
         "--tuple-layout",
         [=](const std::string& text) {
           options->tuple_layout = ValueOrThrow(ParseTupleLayout(text), "--tuple-layout");
         },
         "How tuples are passed: nested, nested tables (the default), or flat, as jaxlib >= "
         "0.4.38 does")
      ->type_name("LAYOUT");
  run->add_option_function<std::vector<std::string>>(
         "--attribute",
         [=](const std::vector<std::string>& texts) {
           for (const std::string& text : texts) {
             const absl::Status parsed = ParseAttribute(text, &options->attributes);
             if (!parsed.ok()) {
               throw CLI::ValidationError("--attribute", std::string(parsed.message()));
             }
           }
         },
         "An attribute of a typed FFI handler, as MLIR writes it: n=3:i32, x=1.5:f32, deep=true, "
         "'name=\"text\"', 'n=array<i64: 1, 2>'; may be repeated")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  CLI::Option* opaque =
      run->add_option("--opaque", options->opaque, "The opaque to pass to the target")
          ->type_name("TEXT");
  run->add_option("--opaque-file", options->opaque_file, "A file that holds the opaque, any bytes")
      ->type_name("FILE")
      ->excludes(opaque);
  run->add_option("--operator-info", options->operator_info_file,
                  "A JSON file, what MindSpore's CustomRegOp(...).get_op_info() returns: check the "
                  "call against it; attributes that have a default may be left out")
      ->type_name("FILE");
  return run;
}

}  // namespace callbridge
