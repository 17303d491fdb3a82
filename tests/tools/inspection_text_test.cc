// What `callbridge inspect` prints of findings that no one file has. test_inspect.py has files.
#include "callbridge/tools/inspection_text.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "callbridge/loader/inspection_json.h"
#include "callbridge/typed_ffi/runtime_versions.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

namespace callbridge {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

CustomCallFunction Function(uint64_t address, bool is_exported, ApiVersion on_host,
                            ApiVersion on_gpu) {
  const std::string name = absl::StrCat("f", address);
  return {absl::StrCat("_Z", name), name + "()", address, is_exported, on_host, on_gpu};
}

// Everything that there is to find.
InspectedFile Whole() {
  InspectedFile file;
  Inspection& found = file.inspection;
  found.path = "dir/whole.so";
  found.kind = FileKind::kSharedLibrary;
  found.needed = {"libtensorflow_cc.so.2", "libfound.so.1", "libgone.so.1", "libcudart.so.12",
                  "/abs/lib.so"};
  found.loader.libraries = {{"libfound.so.1", "/lib/libfound.so.1"},
                            {"/abs/lib.so", "/abs/lib.so"},
                            {"libinner.so.3", ""},
                            {"libdeep.so.4", "/lib/libdeep.so.4"}};
  found.loader.missing_versions = {"/lib/libfound.so.1: version `V2' not found"};
  found.unresolved = {{"_Z4lostv", "lost()", Provider::kNone},
                      {"Global", "xla::Global()", Provider::kCallbridge},
                      {"PyCapsule_New", "PyCapsule_New", Provider::kPython},
                      {"PyObject_New", "PyObject_New", Provider::kPython}};
  found.refusal = "it is refused";
  found.string_abi = StringAbi::kBoth;
  found.gpu_architectures = {"sm_50", "compute_90"};
  found.has_hip_code = true;
  found.has_capsule_name = true;
  found.mentions_typed_ffi = true;
  SymbolFindings& symbols = found.symbols;
  symbols.functions[{32, "b"}] =
      Function(32, true, ApiVersion::kStatusReturningUnified, ApiVersion::kStatusReturning);
  symbols.functions[{16, "a"}] =
      Function(16, false, ApiVersion::kOriginal, ApiVersion::kUnspecified);
  symbols.untyped_functions["plain"] = {"plain", 48};
  symbols.registry["xla::Global()"] = Place::kImported;
  symbols.registry["xla::Register()"] = Place::kPrivateCopy;
  symbols.status["SetFailure"] = Place::kExported;
  symbols.python_modules = {"one", "two"};
  symbols.has_static_cuda_runtime = true;
  file.verdict = {Outcome::kDoesNotLoad, "it cannot be", {"do this", "then that"}};
  return file;
}

TEST(InspectionText, HasAllThatIsFound) {
  EXPECT_EQ("\n" + TextOf({Whole()}), R"(
dir/whole.so: shared library
  needs       libtensorflow_cc.so.2 => not needed: callbridge replaces it
              libfound.so.1 => /lib/libfound.so.1
              libgone.so.1 => not found
              libcudart.so.12 => not found
              /abs/lib.so
              libinner.so.3 => not found (needed by those)
              /lib/libfound.so.1: version `V2' not found
  missing     lost()
  python      2 symbols of the interpreter
  module      import one, which passes custom calls to Python in capsules
  module      import two, which passes custom calls to Python in capsules
  strings     both of libstdc++'s string ABIs
  gpu         libcudart.so.12
              libcudart, linked statically
              CUDA kernels for compute_90, sm_50
              HIP kernels
  registry    xla::Global(): imported, provided by callbridge
              xla::Register(): a private copy
  status      SetFailure: exported
  functions   f16() at 0x10: original on Host
              f32() at 0x20, exported: status_returning_unified on Host, or status_returning on CUDA and ROCM
  note        stripped: static functions have no names here, so their ABIs are not visible; declare them (abi=, --abi)
  untyped     plain
  note        it refers to XLA's FFI: these may be typed handlers; --probe finds out
  verdict     it cannot be
  next        do this
              then that
)");
}

TEST(InspectionText, SaysNothingOfWhatIsNotThere) {
  InspectedFile file;
  file.inspection.path = "x.o";
  file.inspection.kind = FileKind::kObjectFile;
  file.inspection.symbols.has_static_symbols = true;
  file.inspection.symbols.untyped_functions["plain"] = {"plain", 48};
  file.inspection.symbols.python_modules = {"one"};
  file.verdict.text = "nothing";
  EXPECT_EQ("\n" + TextOf({file}), R"(
x.o: object file
  module      import one
  verdict     nothing
)");
}

TEST(InspectionText, LibrariesAreNotLookedForWhereLdSoWasNotAsked) {
  InspectedFile file;
  file.inspection.needed = {"libm.so.6"};
  EXPECT_THAT(TextOf({file}), HasSubstr("  needs       libm.so.6\n"));
}

TEST(InspectionText, PutsALineBetweenFiles) {
  InspectedFile file;
  file.inspection.path = "x";
  const std::string one = TextOf({file});
  EXPECT_EQ(TextOf({file, file}), absl::StrCat(one, "\n", one));
  EXPECT_EQ(TextOf({}), "");
}

TEST(InspectionText, ShowsSixtyOfMany) {
  for (const size_t count : {59, 60, 61, 62}) {
    InspectedFile file;
    for (size_t i = 0; i < count; ++i) {
      file.inspection.unresolved.push_back({"s", absl::StrCat("s", i), Provider::kNone});
    }
    const std::string text = TextOf({file});
    EXPECT_THAT(text, HasSubstr(" s58\n"));
    if (count <= 60) {
      EXPECT_THAT(text, HasSubstr(absl::StrCat(" s", count - 1, "\n")));
      EXPECT_THAT(text, Not(HasSubstr("more")));
    } else {
      EXPECT_THAT(text, HasSubstr(absl::StrCat(" s59\n              and ", count - 60,
                                               " more (--json shows them)\n")));
      EXPECT_THAT(text, Not(HasSubstr(" s60\n")));
    }
  }
}

TEST(InspectionText, ShowsWhatTheProbeAnswered) {
  InspectedFile file = Whole();
  file.probed = {{"plain", {TypedVerdict::kTyped, "it answers"}},
                 {"other", {TypedVerdict::kNotTyped, "it crashed"}}};
  const std::string text = TextOf({file});
  EXPECT_THAT(text, HasSubstr("  probe       plain: typed (it answers)\n"
                              "              other: not_typed (it crashed)\n"
                              "  verdict  "));
  EXPECT_THAT(text, Not(HasSubstr("untyped  ")));
}

TEST(InspectionText, NamesOfFilesDoNotBreakLines) {
  InspectedFile file = Whole();
  file.inspection.path = "a\nb\x7f\xc3\xa4";
  file.inspection.needed = {"lib\tx\x1b.so"};
  EXPECT_THAT(TextOf({file}), HasSubstr("a\\nb\\x7f\xc3\xa4: shared library\n"));
  EXPECT_THAT(TextOf({file}), HasSubstr("  lib\\tx\\x1b.so => not found\n"));
}

TEST(InspectionText, NamesTheProtobufThatIsUsed) {
  InspectedFile file;
  EXPECT_THAT(TextOf({file}), Not(HasSubstr("protobuf")));
  ProtobufLayout& protobuf = file.inspection.protobuf;
  protobuf.AddImport("_ZN3xla10ShapeProto5ClearEv");
  ASSERT_TRUE(protobuf.is_used());
  ASSERT_FALSE(protobuf.IsServed());
  const std::string layout = absl::StrCat(
      "  protobuf    it uses XLA's messages, with the object layout of ", protobuf.protobuf());
  EXPECT_THAT(TextOf({file}), HasSubstr(layout + "; callbridge has only that of protobuf 3.21\n"));
  const auto json = [&file] { return nlohmann::json::parse(JsonOf({file}))[0]["protobuf"]; };
  EXPECT_EQ(json(), nlohmann::json({{"layout", protobuf.protobuf()}, {"served", false}}));

  // One that is callbridge's own, where its protobuf can and cannot be had.
  protobuf.AddImport("_ZN3xla10ShapeProtoC1EPN6google8protobuf5ArenaEb");
  ASSERT_TRUE(protobuf.IsServed());
  EXPECT_EQ(json(), nlohmann::json({{"layout", "protobuf 3.21"}, {"served", true}}));
  EXPECT_THAT(TextOf({file}),
              HasSubstr("the object layout of protobuf 3.21, which callbridge provides\n"));
  file.inspection.protobuf_error = "there is no protobuf";
  EXPECT_EQ(json(), nlohmann::json({{"layout", "protobuf 3.21"}, {"served", false}}));
  EXPECT_THAT(TextOf({file}),
              HasSubstr("the object layout of protobuf 3.21, but there is no protobuf\n"));
}

TEST(InspectionText, OperatorsHaveCompanions) {
  InspectedFile file = Whole();
  file.operators = {
      {"Add", false, false}, {"Init", true, false}, {"Infer", false, true}, {"All", true, true}};
  EXPECT_THAT(TextOf({file}), HasSubstr("  operators   Add\n"
                                        "              Init, with InitInit\n"
                                        "              Infer, with InferInferShape\n"
                                        "              All, with AllInit and AllInferShape\n"));
}

TEST(InspectionText, StringAbis) {
  EXPECT_EQ(StringAbiText(StringAbi::kNotSeen), "");
  EXPECT_EQ(StringAbiText(StringAbi::kNew), "libstdc++'s new string ABI (std::__cxx11)");
  EXPECT_EQ(StringAbiText(StringAbi::kOld),
            "libstdc++'s old string ABI (_GLIBCXX_USE_CXX11_ABI=0)");
  EXPECT_EQ(StringAbiText(StringAbi::kBoth), "both of libstdc++'s string ABIs");
}

TEST(InspectionText, LibrariesOfGpusAreKnownByTheirNames) {
  Inspection inspection;
  inspection.needed = {"libcuda.so.1",      "libcudart.so.11.0", "libcublas.so.12",
                       "libcublasLt.so.12", "libcudnn.so.9",     "libcusolver.so.11",
                       "libcusparse.so.12", "libcufft.so.11",    "libamdhip64.so.6",
                       "libm.so.6",         "xlibcuda.so"};
  std::vector<std::string> expected = inspection.needed;
  expected.resize(9);
  EXPECT_EQ(GpuTexts(inspection), expected);
  EXPECT_THAT(GpuTexts({}), ElementsAre());
}

TEST(InspectionJson, HasAllThatIsFound) {
  InspectedFile file = Whole();
  file.probed = {
      {"plain", {TypedVerdict::kUnverified, "it returned"}},
      {"function at 0x40",
       {TypedVerdict::kTyped, "it answers", TypedEvidence::kMetadata, "0.2", false, true},
       /*has_symbol=*/false},
      {"old", {TypedVerdict::kTyped, "it is old", TypedEvidence::kOldestApiTable, "0.0"}}};
  file.inspection.typed_headers = &typed_ffi::NewestWithoutMetadata();
  file.operators = {{"Add", true, false}};
  EXPECT_EQ(nlohmann::json::parse(JsonOf({file}))[0], nlohmann::json::parse(R"json({
    "file": "dir/whole.so",
    "kind": "shared library",
    "machine": null,
    "needed": ["libtensorflow_cc.so.2", "libfound.so.1", "libgone.so.1", "libcudart.so.12",
               "/abs/lib.so"],
    "libraries": [
      {"name": "libfound.so.1", "path": "/lib/libfound.so.1", "replaced_by_callbridge": false},
      {"name": "/abs/lib.so", "path": "/abs/lib.so", "replaced_by_callbridge": false},
      {"name": "libinner.so.3", "path": null, "replaced_by_callbridge": false},
      {"name": "libdeep.so.4", "path": "/lib/libdeep.so.4", "replaced_by_callbridge": false}],
    "missing_versions": ["/lib/libfound.so.1: version `V2' not found"],
    "unresolved": [
      {"symbol": "_Z4lostv", "name": "lost()", "provider": "none"
},
      {"symbol": "Global", "name": "xla::Global()", "provider": "callbridge"},
      {"symbol": "PyCapsule_New", "name": "PyCapsule_New", "provider": "python"},
      {"symbol": "PyObject_New", "name": "PyObject_New", "provider": "python"}],
    "refusal": "it is refused",
    "string_abi": "both",
    "protobuf": null,
    "gpu": ["libcudart.so.12", "libcudart, linked statically",
            "CUDA kernels for compute_90, sm_50", "HIP kernels"],
    "gpu_architectures": ["compute_90", "sm_50"],
    "python_modules": ["one", "two"],
    "contains_xla": false,
    "not_asked": 0,
    "has_capsules": true,
    "registry": [{"name": "xla::Global()", "place": "imported"},
                 {"name": "xla::Register()", "place": "a private copy"}],
    "status": [{"name": "SetFailure", "place": "exported"}],
    "stripped": true,
    "functions": [
      {"symbol": "_Zf16", "name": "f16()", "address": 16, "exported": false,
       "abi": {"Host": "original", "gpu": null}},
      {"symbol": "_Zf32", "name": "f32()", "address": 32, "exported": true,
       "abi": {"Host": "status_returning_unified", "gpu": "status_returning"}}],
    "untyped_functions": [{"symbol": "plain", "address": 48}],
    "mentions_typed_ffi": true,
    "typed_headers": {"api_version": "0.0", "headers": "jaxlib 0.4.31"},
    "operators": [{"function": "Add", "has_init": true, "has_infer_shape": false}],
    "probed": [
      {"symbol": "plain", "has_symbol": true, "verdict": "unverified", "evidence": "it returned",
       "evidence_kind": null, "api_version": null, "headers": null, "adapts": null,
       "makes_state": null},
      {"symbol": "function at 0x40", "has_symbol": false, "verdict": "typed",
       "evidence": "it answers", "evidence_kind": "metadata", "api_version": "0.2",
       "headers": null, "adapts": false, "makes_state": true},
      {"symbol": "old", "has_symbol": true, "verdict": "typed", "evidence": "it is old",
       "evidence_kind": "oldest_api_table", "api_version": "0.0", "headers": "jaxlib 0.4.30",
       "adapts": null, "makes_state": null}],
    "verdict": {
  "outcome" : "does_not_load", "text" : "it cannot be", "next" : [ "do this", "then that" ]
}
})json"));
}

TEST(InspectionJson, IsOneLineOfAList) {
  EXPECT_EQ(JsonOf({}), "[]\n");
  InspectedFile file;
  file.inspection.path = "\xff";  // no UTF-8
  const std::string json = JsonOf({file, file});
  EXPECT_EQ(json.find('\n'), json.size() - 1);
  const nlohmann::json parsed = nlohmann::json::parse(json);
  ASSERT_EQ(parsed.size(), 2);
  EXPECT_EQ(parsed[1]["file"], "\xef\xbf\xbd");
  EXPECT_TRUE(parsed[0]["refusal"].is_null());
  EXPECT_TRUE(parsed[0]["protobuf"].is_null());
  EXPECT_TRUE(parsed[0]["typed_headers"].is_null());
  EXPECT_EQ(parsed[0]["has_capsules"], false);
  EXPECT_EQ(parsed[0]["mentions_typed_ffi"], false);
}

}  // namespace
}  // namespace callbridge
