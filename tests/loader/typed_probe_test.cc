#include "callbridge/loader/typed_probe.h"

#include <dlfcn.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "callbridge/loader/target_library.h"
#include "callbridge/typed_ffi/c_api.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/loader/elf_editor.h"

namespace callbridge {
namespace {

using ::testing::HasSubstr;

struct Expected {
  const char* function;
  TypedVerdict verdict;
  const char* evidence;
};

class TypedProbeTest : public testing::Test {
 protected:
  void SetUp() override {
    setenv("CALLBRIDGE_PROBE", PROBE_PROGRAM, /*overwrite=*/1);
    library_ = dlopen(OldBinary("probed").c_str(), RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library_, nullptr) << dlerror();
  }
  const void* Address(const char* function) {
    const void* address = dlsym(library_, function);
    EXPECT_NE(address, nullptr) << function;
    return address;
  }
  TypedAnswer Ask(const char* function) { return ProbeTyped(Address(function)); }
  // Of code in no file that leads to the function.
  void ExpectOfGeneratedCode(const Expected& expected, const char* evidence_begins = "");

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
  for (const char* function :
       {"refuses_everything", "crashes_when_asked_twice", "hangs_when_asked_twice"}) {
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
  // This process has it yet.
  for (const void* handler : handlers) {
    EXPECT_EQ(ProbeTyped(handler).verdict, TypedVerdict::kTyped) << ProbeTyped(handler).evidence;
  }
  const TypedAnswer unknown = ProbeTyped(dlsym(handle, "returns"));
  EXPECT_EQ(unknown.verdict, TypedVerdict::kUnverified);
  EXPECT_THAT(unknown.evidence, HasSubstr("a.so was removed or changed after it was loaded; in a "
                                          "fork of this process: returned without an answer"));
  EXPECT_TRUE(absl::StartsWith(unknown.evidence, kCannotBeOpened));
  dlclose(handle);
  fs::current_path(before);
  fs::remove_all(root);
}

// ---- What its file cannot answer

// Code in no file, as JIT compilers make it: jumps to another function.
class GeneratedCode {
 public:
  explicit GeneratedCode(const void* function) {
    page_ = mmap(nullptr, kSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    EXPECT_NE(page_, MAP_FAILED);
    // Jumps to the address behind it.
#ifdef __x86_64__
    const unsigned char code[] = {0xff, 0x25, 0, 0, 0, 0};
#else
    const uint32_t code[] = {0x58000050, 0xd61f0200};  // ldr x16, 8; br x16
#endif
    std::memcpy(page_, code, sizeof(code));
    std::memcpy(static_cast<char*>(page_) + sizeof(code), &function, sizeof(function));
    EXPECT_EQ(mprotect(page_, kSize, PROT_READ | PROT_EXEC), 0);
    __builtin___clear_cache(static_cast<char*>(page_), static_cast<char*>(page_) + kSize);
  }
  ~GeneratedCode() { munmap(page_, kSize); }
  GeneratedCode(const GeneratedCode&) = delete;
  GeneratedCode& operator=(const GeneratedCode&) = delete;

  const void* get() const { return page_; }

 private:
  static constexpr size_t kSize = 4096;
  void* page_;
};

void TypedProbeTest::ExpectOfGeneratedCode(const Expected& expected, const char* evidence_begins) {
  const GeneratedCode code(Address(expected.function));
  const TypedAnswer answer = ProbeTyped(code.get());
  EXPECT_EQ(answer.verdict, expected.verdict) << expected.function << answer.evidence;
  EXPECT_THAT(answer.evidence, HasSubstr(expected.evidence)) << expected.function;
  EXPECT_TRUE(absl::StartsWith(answer.evidence, evidence_begins)) << answer.evidence;
}

TEST_F(TypedProbeTest, AsksCodeOfNoFileInAFork) {
  const Expected cases[] = {
      {"answers_query", TypedVerdict::kTyped, "answers the metadata query: XLA FFI 0.7"},
      {"refuses_everything", TypedVerdict::kTyped, "refuses a frame that is too small"},
      {"crashes_when_asked_twice", TypedVerdict::kTyped, "refuses a frame that is too small"},
      {"hangs_when_asked_twice", TypedVerdict::kTyped, "refuses a frame that is too small"},
      {"returns", TypedVerdict::kUnverified, "returned without an answer, which proves nothing"},
      {"fills_result", TypedVerdict::kUnverified, "returned without an answer"},
      {"reads_operand", TypedVerdict::kNotTyped, "asked for its metadata, it ended by SIGSEGV"},
      {"aborts", TypedVerdict::kNotTyped, "asked for its metadata, it ended by SIGABRT"},
      {"exits", TypedVerdict::kNotTyped, "asked for its metadata, it ended the process"},
      {"exits_with_status", TypedVerdict::kNotTyped, "it exited with status 3"},
      {"never_returns", TypedVerdict::kUnverified, "it did not return in 2 s"},
  };
  for (const Expected& c : cases) {
    ExpectOfGeneratedCode(c, c.verdict == TypedVerdict::kTyped
                                 ? ""
                                 : "its address belongs to no file; in a fork of this process: ");
  }
}

// ECHILD tells nobody how the fork ended; what it wrote does.
TEST_F(TypedProbeTest, AsksWhereSigchldIsIgnored) {
  auto* before = signal(SIGCHLD, SIG_IGN);
  const Expected cases[] = {
      {"answers_query", TypedVerdict::kTyped, ""},
      {"returns", TypedVerdict::kUnverified, "returned without an answer"},
      {"aborts", TypedVerdict::kNotTyped, "ended in an unknown way"},
      {"never_returns", TypedVerdict::kUnverified, "it did not return in 2 s"},
  };
  for (const Expected& c : cases) ExpectOfGeneratedCode(c);
  signal(SIGCHLD, before);
}

// The program's own functions, here those of this test.
const void* leads_to = nullptr;
XLA_FFI_Error* Trampoline(XLA_FFI_CallFrame* frame) {
  return reinterpret_cast<XLA_FFI_Handler*>(const_cast<void*>(leads_to))(frame);
}

XLA_FFI_Error* WritesAndExits(XLA_FFI_CallFrame*) {
  if (write(1, "printed\n", 8) != 8) std::_Exit(9);
  std::exit(5);
}

TEST_F(TypedProbeTest, AsksTheProgramsOwnFunctions) {
  leads_to = Address("answers_query");
  const auto* trampoline = reinterpret_cast<const void*>(&Trampoline);
  for (const TypedAnswer& answer : {ProbeTyped(trampoline), ProbeDeclaredTyped(trampoline)}) {
    EXPECT_EQ(answer.verdict, TypedVerdict::kTyped) << answer.evidence;
  }
  leads_to = Address("throws_exception");
  EXPECT_EQ(ProbeTyped(trampoline).verdict, TypedVerdict::kNotTyped);
  EXPECT_THAT(ProbeTyped(trampoline).evidence, HasSubstr("threw std::runtime_error: no licence"));
  leads_to = nullptr;
  EXPECT_EQ(ProbeTyped(trampoline).verdict, TypedVerdict::kNotTyped);
}

// Nothing that this process does at its end, nor anything that the function prints, is seen.
TEST_F(TypedProbeTest, AForkLeavesNoTrace) {
  static const std::string mark = ::testing::TempDir() + "/ran_at_exit" + std::to_string(getpid());
  static const pid_t process = getpid();
  std::atexit([] {
    if (getpid() != process) std::ofstream(mark.c_str()) << "ran";
  });
  struct sigaction handlers[NSIG] = {};
  for (int number = 1; number < NSIG; ++number) sigaction(number, nullptr, &handlers[number]);
  sigset_t mask;
  pthread_sigmask(SIG_SETMASK, nullptr, &mask);

  testing::internal::CaptureStdout();
  const TypedAnswer answer = ProbeTyped(reinterpret_cast<const void*>(&WritesAndExits));
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(answer.verdict, TypedVerdict::kNotTyped);
  EXPECT_THAT(answer.evidence, HasSubstr("exited with status 5"));
  EXPECT_FALSE(std::ifstream(mark).good());

  for (int number = 1; number < NSIG; ++number) {
    struct sigaction now = {};
    sigaction(number, nullptr, &now);
    EXPECT_EQ(reinterpret_cast<void*>(now.sa_handler),
              reinterpret_cast<void*>(handlers[number].sa_handler))
        << number;
  }
  sigset_t mask_now;
  pthread_sigmask(SIG_SETMASK, nullptr, &mask_now);
  for (int number = 1; number < NSIG; ++number) {
    EXPECT_EQ(sigismember(&mask_now, number), sigismember(&mask, number)) << number;
  }
}

// Its file crashes without what this process gave it, and so proves nothing of a declared handler.
TEST_F(TypedProbeTest, AsksDeclaredHandlersHereToo) {
  const void* trampoline = Address("leads_on");
  auto* set =
      reinterpret_cast<void (*)(const void*)>(const_cast<void*>(Address("set_what_follows")));
  set(Address("answers_query"));
  EXPECT_EQ(ProbeTyped(trampoline).verdict, TypedVerdict::kNotTyped);
  EXPECT_EQ(ProbeDeclaredTyped(trampoline).verdict, TypedVerdict::kTyped);
  set(Address("returns"));
  TypedAnswer answer = ProbeDeclaredTyped(trampoline);
  EXPECT_EQ(answer.verdict, TypedVerdict::kUnverified);
  EXPECT_THAT(answer.evidence,
              HasSubstr("; in a fork of this process: returned without an answer"));
  set(Address("never_returns"));  // here it may wait for another thread
  EXPECT_EQ(ProbeDeclaredTyped(trampoline).verdict, TypedVerdict::kUnverified);
  set(nullptr);
  answer = ProbeDeclaredTyped(trampoline);
  EXPECT_EQ(answer.verdict, TypedVerdict::kNotTyped);
  EXPECT_EQ(answer.evidence, ProbeTyped(trampoline).evidence);
  for (const char* function : {"aborts", "exits", "exits_with_status", "never_returns"}) {
    const TypedAnswer same = ProbeDeclaredTyped(Address(function));
    EXPECT_EQ(same.verdict, TypedVerdict::kNotTyped) << function << same.evidence;
    EXPECT_EQ(same.evidence, Ask(function).evidence);
  }
}

TEST_F(TypedProbeTest, CannotAskEverything) {
  int on_the_stack = 0;
  for (const void* no_code :
       {static_cast<const void*>(&on_the_stack), static_cast<const void*>(nullptr)}) {
    const TypedAnswer answer = ProbeTyped(no_code);
    EXPECT_EQ(answer.verdict, TypedVerdict::kNotTyped);
    EXPECT_EQ(answer.evidence,
              "its address belongs to no file; in a fork of this process: asked "
              "for its metadata, it ended by SIGSEGV");
  }
  const TypedAnswer own = ProbeTyped(reinterpret_cast<const void*>(&TypedVerdictName));
  EXPECT_NE(own.verdict, TypedVerdict::kTyped);
  EXPECT_THAT(own.evidence, HasSubstr("it is in the file that callbridge is in; in a fork of"));
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

TEST_F(TypedProbeTest, GoesOnWithoutItsHelper) {
  setenv("CALLBRIDGE_PROBE", "/nowhere/callbridge-probe", /*overwrite=*/1);
  EXPECT_EQ(Ask("answers_query").verdict, TypedVerdict::kTyped);
  const TypedAnswer answer = Ask("returns");
  EXPECT_EQ(answer.verdict, TypedVerdict::kUnverified);
  EXPECT_EQ(answer.evidence,
            "callbridge-probe is not at /nowhere/callbridge-probe; set CALLBRIDGE_PROBE to its "
            "path; in a fork of this process: returned without an answer, which proves nothing");
}

}  // namespace
}  // namespace callbridge
