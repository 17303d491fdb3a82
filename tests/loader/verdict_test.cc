// What is said of an inspected file, and what to type next.
#include "callbridge/loader/verdict.h"

#include <string>
#include <vector>

#include "callbridge/loader/next_steps.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace callbridge {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

CustomCallFunction Function(ApiVersion on_host, ApiVersion on_gpu,
                            const std::string& symbol = "f") {
  CustomCallFunction function;
  function.symbol = function.name = symbol;
  function.is_exported = true;
  function.on_host = on_host;
  function.on_gpu = on_gpu;
  return function;
}
CustomCallFunction Original(const std::string& symbol = "f") {
  return Function(ApiVersion::kOriginal, ApiVersion::kUnspecified, symbol);
}
CustomCallFunction OriginalOnGpu(const std::string& symbol = "f") {
  return Function(ApiVersion::kUnspecified, ApiVersion::kOriginal, symbol);
}
CustomCallFunction Typed(const std::string& symbol = "f") {
  return Function(ApiVersion::kTypedFfi, ApiVersion::kTypedFfi, symbol);
}

Inspection Library(const std::vector<CustomCallFunction>& functions = {}) {
  Inspection inspection;
  inspection.path = "x.so";
  for (const CustomCallFunction& function : functions) {
    const auto address = static_cast<uint64_t>(inspection.symbols.functions.size());
    inspection.symbols.functions[{address, function.symbol}] = function;
  }
  return inspection;
}

Inspection Registering() {
  Inspection inspection = Library({Original()});
  inspection.symbols.registry = {{"xla::CustomCallTargetRegistry::Register()", Place::kImported}};
  return inspection;
}

TEST(VerdictTest, OutcomesHaveNames) {
  EXPECT_EQ(OutcomeName(Outcome::kLoads), "loads");
  EXPECT_EQ(OutcomeName(Outcome::kLoadsOnly), "loads_only");
  EXPECT_EQ(OutcomeName(Outcome::kPythonModule), "python_module");
  EXPECT_EQ(OutcomeName(Outcome::kMustBeLinked), "must_be_linked");
  EXPECT_EQ(OutcomeName(Outcome::kAotOperators), "aot_operators");
  EXPECT_EQ(OutcomeName(Outcome::kDoesNotLoad), "does_not_load");
  EXPECT_EQ(OutcomeName(Outcome::kNoCustomCalls), "no_custom_calls");
}

TEST(VerdictTest, AbisOfAFunction) {
  EXPECT_EQ(AbiText(Original()), "original on Host");
  EXPECT_EQ(AbiText(OriginalOnGpu()), "original on CUDA and ROCM");
  EXPECT_EQ(AbiText(Typed()), "typed_ffi on every platform");
  EXPECT_EQ(AbiText(Function(ApiVersion::kStatusReturningUnified, ApiVersion::kStatusReturning)),
            "status_returning_unified on Host, or status_returning on CUDA and ROCM");
}

TEST(VerdictTest, LibrariesThatRegister) {
  EXPECT_EQ(Judge(Registering()).outcome, Outcome::kLoads);
  EXPECT_EQ(Judge(Registering()).text, "callbridge can load it; it registers its own targets");
  EXPECT_THAT(
      Judge(Registering()).next,
      ElementsAre("callbridge run x.so  # lists its targets; loading it runs its constructors",
                  "callbridge.jax.load('x.so')  # in Python: registers its targets with JAX"));
  Inspection inspection = Registering();
  for (Place place : {Place::kPrivateCopy, Place::kExported}) {
    inspection.symbols.registry.begin()->second = place;
    EXPECT_EQ(Judge(inspection).outcome, Outcome::kLoadsOnly) << "with itself";
  }
  inspection.symbols.registry = {{"xla::CustomCallTargetRegistry::Global()", Place::kImported}};
  EXPECT_EQ(Judge(inspection).outcome, Outcome::kLoadsOnly);
  inspection.symbols.registry = {{"callbridge_register_target", Place::kImported}};
  EXPECT_EQ(Judge(inspection).outcome, Outcome::kLoads);
}

// The first counts.
TEST(VerdictTest, WhatKeepsALibraryFromLoading) {
  Inspection inspection = Registering();
  const auto text = [&] {
    EXPECT_EQ(Judge(inspection).outcome, Outcome::kDoesNotLoad);
    EXPECT_THAT(Judge(inspection).next, IsEmpty());
    return Judge(inspection).text;
  };
  inspection.unresolved = {{"c", "c", Provider::kCallbridge}, {"p", "p", Provider::kPython}};
  EXPECT_EQ(Judge(inspection).outcome, Outcome::kLoads);
  inspection.unresolved.push_back({"n", "n", Provider::kNone});
  EXPECT_EQ(text(), "callbridge cannot load it: 1 symbol that it needs is not found");
  inspection.unresolved.push_back({"m", "m", Provider::kNone});
  EXPECT_EQ(text(), "callbridge cannot load it: 2 symbols that it needs are not found");
  inspection.protobuf_error = "no protobuf";
  EXPECT_EQ(text(), "callbridge cannot load it: no protobuf");
  inspection.protobuf.AddImport("_ZN3xla10ShapeProtoC1Ev");
  EXPECT_EQ(text().find("callbridge cannot load it: it was compiled for protobuf 3.11"), 0u);
  inspection.loader.missing_versions = {"v1", "v2"};
  EXPECT_EQ(text(), "callbridge cannot load it: it was built for newer libraries: v1");
  inspection.loader.libraries = {
      {"a.so", ""}, {"b.so", "/b.so"}, {"c.so", ""}, {"libtensorflow_cc.so.2", ""}};
  EXPECT_EQ(text(),
            "callbridge cannot load it: ld.so does not find a.so, c.so: add their folders to "
            "LD_LIBRARY_PATH");
  inspection.refusal = "is bad";
  EXPECT_EQ(text(), "callbridge cannot load it: it is bad");
}

TEST(VerdictTest, LibrariesWhoseFunctionsMustBeNamed) {
  EXPECT_EQ(Judge(Library({Original()})).outcome, Outcome::kLoadsOnly);
  EXPECT_EQ(Judge(Library({Original()})).text,
            "callbridge can load it, but it registers no targets: register its functions by name");
  EXPECT_EQ(Judge(Library(), {"handler"}).outcome, Outcome::kLoadsOnly);
  EXPECT_THAT(
      Judge(Library(), {"handler"}).next,
      ElementsAre("jax.ffi.register_ffi_target('NAME', jax.ffi.pycapsule(ctypes.CDLL('x.so')"
                  "['handler']))  # in Python: a typed handler, under a name of your "
                  "choice"));
}

TEST(VerdictTest, LibrariesThatShowNothing) {
  Inspection inspection = Library();
  const Verdict nothing = Judge(inspection);
  EXPECT_EQ(nothing.outcome, Outcome::kNoCustomCalls);
  EXPECT_EQ(nothing.text, "no custom call found in it");
  EXPECT_THAT(nothing.next, IsEmpty());
  inspection.symbols.untyped_functions = {{"f", {"f", 1}}};
  EXPECT_THAT(PossibleHandlers(inspection), IsEmpty()) << "shows nothing of the FFI";
  const Verdict untyped = Judge(inspection);
  EXPECT_EQ(untyped.outcome, Outcome::kNoCustomCalls);
  EXPECT_EQ(untyped.text,
            "no custom call found in it, but functions without a type may be custom calls");
  EXPECT_THAT(
      untyped.next,
      ElementsAre("callbridge.jax.register('NAME', ctypes.CDLL('x.so')['f'], "
                  "abi='original')  # in Python, if it is void(void* out, const void** in)"));
  inspection.mentions_typed_ffi = true;
  ASSERT_EQ(PossibleHandlers(inspection).size(), 1u);
  const Verdict possible = Judge(inspection);
  EXPECT_EQ(possible.outcome, Outcome::kNoCustomCalls);
  EXPECT_EQ(possible.text,
            "no custom call found in it, but functions without a type may be typed handlers");
  EXPECT_THAT(possible.next, ElementsAre("callbridge inspect --probe x.so  # asks them, in a "
                                         "separate process"));
  inspection.path = "/a/libtensorflow_cc.so.2";
  EXPECT_THAT(PossibleHandlers(inspection), IsEmpty());
  EXPECT_EQ(Judge(inspection).text, "it is TensorFlow itself, which callbridge replaces");
}

TEST(VerdictTest, PythonModules) {
  Inspection inspection = Library();
  inspection.symbols.python_modules = {"module"};
  EXPECT_EQ(Judge(inspection).outcome, Outcome::kNoCustomCalls);
  EXPECT_EQ(Judge(inspection).text, "a Python module without visible custom calls");
  inspection.has_capsule_name = true;
  EXPECT_EQ(Judge(inspection).outcome, Outcome::kPythonModule);
  EXPECT_EQ(Judge(inspection).text,
            "a Python module, which passes its functions to Python in capsules");
  inspection = Library({Original()});
  inspection.symbols.python_modules = {"module"};
  inspection.refusal = "is bad";
  EXPECT_EQ(Judge(inspection).outcome, Outcome::kPythonModule);
  EXPECT_EQ(Judge(inspection).text,
            "a Python module, which passes its functions to Python in capsules; but it is bad");
}

TEST(VerdictTest, OtherKindsOfFiles) {
  for (FileKind kind : {FileKind::kObjectFile, FileKind::kArchive}) {
    Inspection inspection = Library();
    inspection.kind = kind;
    EXPECT_EQ(Judge(inspection).outcome, Outcome::kNoCustomCalls);
    inspection.symbols.registry = {{"callbridge_register_target", Place::kImported}};
    EXPECT_EQ(Judge(inspection).outcome, Outcome::kMustBeLinked);
    inspection = Library({Original()});
    inspection.kind = kind;
    EXPECT_EQ(Judge(inspection).outcome, Outcome::kMustBeLinked);
    EXPECT_EQ(Judge(inspection).text, "it must be linked into a shared library first");
  }
  Inspection program = Library();
  program.kind = FileKind::kProgram;
  EXPECT_EQ(Judge(program).outcome, Outcome::kNoCustomCalls);
  program = Library({Original()});
  program.kind = FileKind::kProgram;
  EXPECT_EQ(Judge(program).outcome, Outcome::kDoesNotLoad);
  EXPECT_EQ(Judge(program).text,
            "callbridge loads shared libraries, not programs: link its object files with `g++ "
            "-shared`");
}

// ---- What to type

TEST(NextStepsTest, ShellsAndPythonReadPathsBack) {
  Inspection inspection = Registering();
  const auto lines = [&](const std::string& path) {
    inspection.path = path;
    std::vector<std::string> shown;
    for (const std::string& line : NextForLibrary(inspection)) {
      shown.push_back(line.substr(0, line.find("  #")));
    }
    return shown;
  };
  EXPECT_THAT(lines("/a/b-c_d.+.so"),
              ElementsAre("callbridge run /a/b-c_d.+.so", "callbridge.jax.load('/a/b-c_d.+.so')"));
  EXPECT_THAT(lines("a b$"), ElementsAre("callbridge run 'a b$'", "callbridge.jax.load('a b$')"));
  EXPECT_THAT(lines("it's\\"),
              ElementsAre("callbridge run 'it'\\''s\\'", "callbridge.jax.load('it\\'s\\\\')"));
}

std::vector<std::string> ForFunctions(const std::vector<CustomCallFunction>& functions,
                                      const std::vector<std::string>& typed = {}) {
  std::vector<std::string> shown;
  for (const std::string& line : NextForFunctions(Library(functions), typed)) {
    shown.push_back(line.substr(0, line.find("  #")));
  }
  return shown;
}

// Of each kind the first that is exported.
TEST(NextStepsTest, AnExampleOfEachKindOfFunction) {
  constexpr char kUntyped[] =
      "callbridge.jax.register('NAME', ctypes.CDLL('x.so')['u'], abi='original')";
  constexpr char kTyped[] =
      "jax.ffi.register_ffi_target('NAME', jax.ffi.pycapsule(ctypes.CDLL('x.so')['t']))";
  EXPECT_THAT(ForFunctions({Original("u"), Original("later")}), ElementsAre(kUntyped));
  EXPECT_THAT(ForFunctions({Typed("t"), Typed("later")}), ElementsAre(kTyped));
  EXPECT_THAT(ForFunctions({Typed("t"), Original("u")}), ElementsAre(kUntyped, kTyped));
  EXPECT_THAT(ForFunctions({Typed("later")}, {"t", "later"}), ElementsAre(kTyped));
  EXPECT_THAT(
      ForFunctions({OriginalOnGpu("g")}),
      ElementsAre("callbridge.jax.register('NAME', ctypes.CDLL('x.so')['g'], platform='CUDA', "
                  "abi='original')"));
  CustomCallFunction hidden = Original("hidden");
  hidden.is_exported = false;
  EXPECT_THAT(ForFunctions({hidden, Original("u")}), ElementsAre(kUntyped));
  EXPECT_THAT(ForFunctions({hidden}), IsEmpty());
}

TEST(NextStepsTest, CapsulesAreRegisteredWithTheAbiThatAllHave) {
  const auto line = [](const std::vector<CustomCallFunction>& functions) {
    Inspection inspection = Library(functions);
    inspection.symbols.python_modules = {"module", "other"};
    const std::vector<std::string> next = NextForModule(inspection);
    EXPECT_EQ(next.size(), 2u);
    EXPECT_EQ(next.front(), "import module  # in Python, from its package");
    return next.back();
  };
  constexpr char kFor[] = "for name, capsule in module.registrations().items(): ";
  constexpr char kBehind[] = "  # or by the functions that return its capsules";
  const auto registers = [&](const std::string& arguments) {
    return kFor + ("callbridge.jax.register(name, capsule, " + arguments + ")") + kBehind;
  };
  EXPECT_EQ(line({Original("f"), Original("g")}), registers("abi='original'"));
  EXPECT_EQ(line({Original("f"), Typed("g")}), registers("abi=..."));
  EXPECT_EQ(line({}), registers("abi=..."));
  EXPECT_EQ(line({OriginalOnGpu("f")}), registers("platform='CUDA', abi='original'"));
  EXPECT_EQ(line({OriginalOnGpu("f"), Function(ApiVersion::kStatusReturningUnified,
                                               ApiVersion::kStatusReturning, "g")}),
            registers("platform='CUDA', abi=..."));
}

TEST(NextStepsTest, OperatorsAreCalled) {
  EXPECT_THAT(
      NextForOperator("a b.so:Add", /*infers=*/true),
      ElementsAre("callbridge run 'a b.so:Add' x.npy  # calls it on .npy files",
                  "callbridge.jax.custom_call('a b.so:Add')  # in Python: a function for JAX"));
  EXPECT_THAT(NextForOperator("a.so:Add", /*infers=*/false),
              ElementsAre("callbridge run a.so:Add x.npy --result SHAPE  # calls it on .npy files",
                          "callbridge.jax.custom_call('a.so:Add', RESULT)  # in Python: a function "
                          "for JAX"));
}

TEST(NextStepsTest, ObjectFilesAreLinked) {
  Inspection inspection = Library({Original()});
  inspection.kind = FileKind::kObjectFile;
  inspection.path = "/a.b/c d.e.o";
  EXPECT_THAT(NextForObjects(inspection), ElementsAre("g++ -shared -o 'c d.e.so' '/a.b/c d.e.o'",
                                                      "callbridge inspect 'c d.e.so'"));
  inspection.kind = FileKind::kArchive;
  inspection.path = "lib.a";
  EXPECT_THAT(NextForObjects(inspection),
              ElementsAre("g++ -shared -o lib.so -Wl,--whole-archive lib.a -Wl,--no-whole-archive",
                          "callbridge inspect lib.so"));
}

}  // namespace
}  // namespace callbridge
