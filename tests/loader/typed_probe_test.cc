#include "callbridge/loader/typed_probe.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "callbridge/loader/target_library.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/loader/elf_editor.h"

namespace callbridge {
namespace {

using ::testing::HasSubstr;

class TypedProbeTest : public testing::Test {
 protected:
  void SetUp() override {
    setenv("CALLBRIDGE_PROBE", PROBE_PROGRAM, /*overwrite=*/1);
    library_ = dlopen(OldBinary("probed").c_str(), RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library_, nullptr) << dlerror();
  }
  TypedAnswer Ask(const char* function) {
    const void* address = dlsym(library_, function);
    EXPECT_NE(address, nullptr) << function;
    return ProbeTyped(address);
  }

 private:
  void* library_ = nullptr;
};

TEST_F(TypedProbeTest, KnowsTypedHandlers) {
  TypedAnswer answers = Ask("answers_query");
  EXPECT_EQ(answers.verdict, TypedVerdict::kTyped);
  EXPECT_EQ(answers.evidence, "answers the metadata query: XLA FFI 0.7");
  EXPECT_EQ(answers.evidence_kind, TypedEvidence::kMetadata);
  EXPECT_EQ(answers.api_version, "0.7");
  EXPECT_FALSE(answers.adapts.has_value());
  EXPECT_FALSE(answers.makes_state.has_value());
  for (const char* function : {"refuses_everything", "crashes_when_asked_twice"}) {
    TypedAnswer refuses = Ask(function);
    EXPECT_EQ(refuses.verdict, TypedVerdict::kTyped) << function;
    EXPECT_EQ(refuses.evidence, "refuses a frame that is too small, as XLA's headers do");
    EXPECT_EQ(refuses.evidence_kind, TypedEvidence::kRefusal);
    EXPECT_EQ(refuses.api_version, "");
  }
}

// A function that returns may be anything.
TEST_F(TypedProbeTest, ProvesNothingByAReturn) {
  for (const char* function : {"returns", "returns_something", "fills_result"}) {
    TypedAnswer answer = Ask(function);
    EXPECT_EQ(answer.verdict, TypedVerdict::kUnverified) << function;
    EXPECT_EQ(answer.evidence, "returned without an answer, which proves nothing");
    EXPECT_EQ(answer.evidence_kind, TypedEvidence::kNone);
    EXPECT_EQ(answer.api_version, "");
  }
}

TEST_F(TypedProbeTest, KnowsWhatIsNotTyped) {
  struct {
    const char* function;
    const char* evidence;
  } cases[] = {
      {"reads_operand", ""},
      {"runs_over", ""},
      {"aborts", "asked for its metadata, it ended by SIGABRT"},
      {"exits", "asked for its metadata, it ended the process"},
      {"exits_with_status", "asked for its metadata, it exited with status 3"},
      {"never_returns", "asked for its metadata, it did not return in 2 s"},
      {"throws_exception", "threw std::runtime_error: no licence"},
      {"throws_int", "threw int"},
  };
  for (const auto& c : cases) {
    TypedAnswer answer = Ask(c.function);
    EXPECT_EQ(answer.verdict, TypedVerdict::kNotTyped) << c.function;
    EXPECT_THAT(answer.evidence, HasSubstr(c.evidence)) << c.function;
  }
}

TEST_F(TypedProbeTest, OpensOldBinaries) {
  ElfEditor editor("original_linked");
  TypedAnswer answer =
      ProbeTyped(OldBinary("original_linked"), editor.Symbol("c_function").st_value);
  EXPECT_EQ(answer.verdict, TypedVerdict::kNotTyped) << answer.evidence;
}

// As published wheels have them: their libraries are in a folder beside the module.
TEST_F(TypedProbeTest, OpensBinariesThatNeedALibraryBesideThem) {
  for (const char* name : {"beside_runpath", "beside_rpath", "beside_needed", "beside_gold"}) {
    const TypedAnswer answer =
        ProbeTyped(OldBinary(name), ElfEditor(name).Symbol("_Z11call_besidePvPPKv").st_value);
    EXPECT_EQ(answer.evidence, "returned without an answer, which proves nothing") << name;
  }
}

// Before the function is asked.
TEST_F(TypedProbeTest, FilesThatEndTheHelperAreNotOpened) {
  const std::pair<const char*, const char*> cases[] = {{"ends_by_success", "ended before it had"},
                                                       {"ends_by_exit", "exited with status 3"},
                                                       {"ends_by_abort", "ended by SIGABRT"}};
  for (const auto& [name, end] : cases) {
    const TypedAnswer answer =
        ProbeTyped(OldBinary(name), ElfEditor(name).Symbol("_Z11unreachablePvPPKv").st_value);
    EXPECT_EQ(answer.verdict, TypedVerdict::kUnverified) << name;
    EXPECT_EQ(answer.evidence, std::string("its file cannot be opened: callbridge-probe ") + end);
  }
}

TEST_F(TypedProbeTest, VerdictsHaveNames) {
  EXPECT_EQ(TypedVerdictName(TypedVerdict::kUnverified), "unverified");
  EXPECT_EQ(TypedVerdictName(TypedVerdict::kTyped), "typed");
  EXPECT_EQ(TypedVerdictName(TypedVerdict::kNotTyped), "not_typed");
}

TEST_F(TypedProbeTest, KindsOfEvidenceHaveNames) {
  EXPECT_EQ(TypedEvidenceName(TypedEvidence::kNone), "");
  EXPECT_EQ(TypedEvidenceName(TypedEvidence::kRefusal), "refusal");
  EXPECT_EQ(TypedEvidenceName(TypedEvidence::kOldestApiTable), "oldest_api_table");
  EXPECT_EQ(TypedEvidenceName(TypedEvidence::kMetadata), "metadata");
}

TEST_F(TypedProbeTest, AnswersAreLines) {
  EXPECT_EQ(LineOf({TypedVerdict::kNotTyped, "threw no\nlicence"}),
            "not_typed - - - - threw no licence");
  EXPECT_EQ(LineOf({TypedVerdict::kTyped, "told", TypedEvidence::kMetadata, "0.2", false, true}),
            "typed metadata 0.2 no yes told");
}

// A path means another file in another folder, or after a change.
TEST_F(TypedProbeTest, AsksTheFileThatWasLoaded) {
  namespace fs = std::filesystem;
  const fs::path before = fs::current_path();
  const fs::path root = fs::canonical(::testing::TempDir()) / ("probe" + std::to_string(getpid()));
  fs::create_directories(root / "other");
  fs::current_path(root);
  fs::copy_file(OldBinary("probed"), "a.so");
  fs::copy_file(OldBinary("original_unlinked"), "other/a.so");
  void* handle = dlopen("./a.so", RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(handle, nullptr) << dlerror();
  const auto library = TargetLibrary::Load("a.so");
  ASSERT_TRUE(library.ok()) << library.status();
  const void* const handlers[] = {dlsym(handle, "answers_query"),
                                  (*library)->Exported("answers_query")};
  fs::current_path(root / "other");
  for (const void* handler : handlers) {
    EXPECT_EQ(ProbeTyped(handler).verdict, TypedVerdict::kTyped) << ProbeTyped(handler).evidence;
  }
  fs::rename("a.so", root / "a.so");
  for (const void* handler : handlers) {
    const TypedAnswer answer = ProbeTyped(handler);
    EXPECT_EQ(answer.verdict, TypedVerdict::kUnverified);
    EXPECT_THAT(answer.evidence, HasSubstr("a.so was removed or changed after it was loaded"));
    EXPECT_TRUE(absl::StartsWith(answer.evidence, kCannotBeOpened));
  }
  dlclose(handle);
  fs::current_path(before);
  fs::remove_all(root);
}

TEST_F(TypedProbeTest, CannotAskEverything) {
  int on_the_stack = 0;
  EXPECT_EQ(ProbeTyped(&on_the_stack).verdict, TypedVerdict::kUnverified);
  EXPECT_EQ(ProbeTyped(&on_the_stack).evidence, "its address belongs to no file");
  EXPECT_EQ(ProbeTyped(nullptr).evidence, "its address belongs to no file");
  EXPECT_EQ(ProbeTyped(reinterpret_cast<const void*>(&TypedVerdictName)).evidence,
            "it is callbridge's own");
  TypedAnswer missing = ProbeTyped("/nowhere.so", 0);
  EXPECT_EQ(missing.verdict, TypedVerdict::kUnverified);
  EXPECT_THAT(missing.evidence, HasSubstr("its file cannot be opened: /nowhere.so: "));
  EXPECT_THAT(ProbeTyped(OldBinary("probed"), 0).evidence, HasSubstr("no code at that address"));
  EXPECT_THAT(
      ProbeTyped(OldBinary("missing_symbol"),
                 ElfEditor("missing_symbol").Symbol("_Z18calls_lost_libraryPvPPKv").st_value)
          .evidence,
      HasSubstr("function_of_a_lost_library"));
}

TEST_F(TypedProbeTest, NeedsItsHelper) {
  setenv("CALLBRIDGE_PROBE", "/nowhere/callbridge-probe", /*overwrite=*/1);
  TypedAnswer answer = Ask("answers_query");
  EXPECT_EQ(answer.verdict, TypedVerdict::kUnverified);
  EXPECT_EQ(answer.evidence,
            "callbridge-probe is not at /nowhere/callbridge-probe; set CALLBRIDGE_PROBE to its "
            "path");
}

}  // namespace
}  // namespace callbridge
