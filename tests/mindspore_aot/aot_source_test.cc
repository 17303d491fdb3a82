#include "callbridge/mindspore_aot/aot_source.h"

#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "callbridge/mindspore_aot/aot_library.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace callbridge {
namespace mindspore_aot {
namespace {

namespace fs = std::filesystem;
using absl::StatusCode;
using testing::HasSubstr;
using testing::StartsWith;

// An operator that returns `code`.
std::string Returns(const std::string& code) {
  return "#include <cstdint>\n"
         "extern \"C\" int Code(int, void**, int*, int64_t**, const char**, void*, void*) {\n"
         "  return " +
         code + ";\n}\n";
}

class AotSourceTest : public testing::Test {
 protected:
  AotSourceTest() {
    fs::create_directories(root_);
    setenv("XDG_CACHE_HOME", (root_ / "cache").c_str(), 1);
    setenv("CALLBRIDGE_CUSTOM_AOT_EXTRA", AOT_HEADER, 1);
  }
  ~AotSourceTest() override {
    unsetenv("XDG_CACHE_HOME");
    fs::remove_all(root_);
  }

  std::string Write(const std::string& name, const std::string& text) const {
    std::ofstream(root_ / name) << text;
    return root_ / name;
  }

  // What the operator of the compiled library returns.
  static int Call(const std::string& path) {
    const auto opened = OpenAotOperator({path, "Code"});
    EXPECT_TRUE(opened.ok()) << opened.status();
    return opened.ok() ? opened->function(0, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr)
                       : -1;
  }

  size_t Entries() const {
    const fs::directory_iterator entries(root_ / "cache/callbridge/aot");
    return static_cast<size_t>(std::distance(begin(entries), end(entries)));
  }

  const fs::path root_ =
      fs::path(testing::TempDir()) / ("aot source's " + std::to_string(getpid()));
};

TEST_F(AotSourceTest, SourcesAreToldByTheirSuffix) {
  for (const char* source : {"a.cc", "a.cpp", "./b/a.cu", "a.so.cc"}) EXPECT_TRUE(IsSource(source));
  for (const char* other : {"a.so", "a.c", "a.CC", "cc", ".cc", "a.cc.so", "a.cc/b", "a.hcc", ""}) {
    EXPECT_FALSE(IsSource(other)) << other;
  }
}

TEST_F(AotSourceTest, SourcesAreCompiledAndCalled) {
  EXPECT_EQ(Call(Write("code.cc", Returns("3"))), 3);
  EXPECT_EQ(Call(Write("-code.cpp", Returns("4"))), 4);
}

TEST_F(AotSourceTest, ALibraryIsKeptByContent) {
  const auto first = CompileSource(Write("code.cc", Returns("3")));
  ASSERT_TRUE(first.ok()) << first.status();
  const fs::file_time_type made = fs::last_write_time(first->library);
  EXPECT_EQ(CompileSource(Write("a_copy.cc", Returns("3")))->library, first->library);
  EXPECT_EQ(fs::last_write_time(first->library), made);
  EXPECT_EQ(Entries(), 1);
  // What a comment says is no content.
  EXPECT_EQ(CompileSource(Write("code.cc", "// Three.\n" + Returns("3")))->library, first->library);
  EXPECT_EQ(Call(Write("code.cc", Returns("5"))), 5);
  EXPECT_EQ(Entries(), 2);
}

TEST_F(AotSourceTest, AHeaderIsContentToo) {
  Write("code.h", "constexpr int kCode = 6;");
  const std::string path = Write("code.cc", "#include \"code.h\"\n" + Returns("kCode"));
  EXPECT_EQ(Call(path), 6);
  Write("code.h", "constexpr int kCode = 7;");
  EXPECT_EQ(Call(path), 7);
}

TEST_F(AotSourceTest, TheHeaderIsThereAndOneBesideTheSourceComesFirst) {
  const std::string text = "#include \"custom_aot_extra.h\"\n";
  EXPECT_EQ(Call(Write("code.cc", text + Returns("sizeof(AotExtra)"))), 40);
  Write("custom_aot_extra.h", "constexpr int kOfMine = 8;");
  EXPECT_EQ(Call(Write("code.cc", text + Returns("kOfMine"))), 8);
}

TEST_F(AotSourceTest, TheCompilersOutputIsInTheError) {
  const std::string wrong = Write("wrong.cc", Returns("no_such_name"));
  const absl::Status status = CompileSource(wrong).status();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()),
              StartsWith("Compilation error in compiling " + wrong + ": g++ exited with status 1"));
  EXPECT_THAT(std::string(status.message()), HasSubstr("no_such_name"));
  EXPECT_THAT(std::string(status.message()), HasSubstr("wrong.cc:3:"));
  const absl::Status no_header =
      CompileSource(Write("wrong.cc", "#include \"nowhere.h\"\n")).status();
  EXPECT_EQ(no_header.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(no_header.message()), HasSubstr("nowhere.h"));
  EXPECT_EQ(Entries(), 0);
  // A second try is a new one.
  EXPECT_EQ(Call(Write("wrong.cc", Returns("9"))), 9);
}

TEST_F(AotSourceTest, AFileThatCannotBeReadIsAnError) {
  fs::create_directory(root_ / "folder.cc");
  fs::create_symlink("loop.cc", root_ / "loop.cc");
  fs::create_symlink("/dev/zero", root_ / "zero.cc");
  ASSERT_EQ(mkfifo((root_ / "fifo.cc").c_str(), S_IRUSR | S_IWUSR), 0);
  const struct {
    const char* name;
    StatusCode code;
    const char* why;
  } files[] = {
      {"missing.cc", StatusCode::kNotFound, "cannot be opened: No such file or directory"},
      {"missing/code.cc", StatusCode::kNotFound, "cannot be opened: No such file or directory"},
      {"loop.cc", StatusCode::kNotFound, "cannot be opened: Too many levels of symbolic links"},
      {"folder.cc", StatusCode::kInvalidArgument, "is a directory; a source file is needed"},
      {"fifo.cc", StatusCode::kInvalidArgument, "is a FIFO; a source file is needed"},
      {"zero.cc", StatusCode::kInvalidArgument, "is a device; a source file is needed"},
  };
  for (const auto& file : files) {
    const std::string path = root_ / file.name;
    const absl::Status status = CompileSource(path, absl::Seconds(20)).status();
    EXPECT_EQ(status.code(), file.code) << status;
    EXPECT_EQ(status.message(), path + ": " + file.why);
  }
}

TEST_F(AotSourceTest, ACompilerThatDoesNotEndIsEnded) {
  ASSERT_EQ(mkfifo((root_ / "endless.h").c_str(), S_IRUSR | S_IWUSR), 0);
  const std::string path = Write("code.cc", "#include \"endless.h\"\n");
  const absl::Status status = CompileSource(path, absl::Milliseconds(500)).status();
  EXPECT_EQ(status.code(), StatusCode::kDeadlineExceeded);
  EXPECT_THAT(std::string(status.message()), HasSubstr("g++ did not end in 500ms"));
  EXPECT_EQ(Entries(), 0);
}

// The value of an environment variable.
std::string Variable(const char* name) {
  const char* value = getenv(name);
  return value != nullptr ? value : "";
}

TEST_F(AotSourceTest, AMissingCompilerIsNamed) {
  const std::string path = Variable("PATH");
  setenv("PATH", root_.c_str(), 1);
  const absl::Status status = CompileSource(Write("code.cc", Returns("3"))).status();
  setenv("PATH", path.c_str(), 1);
  EXPECT_EQ(status.code(), StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()), HasSubstr("its compiler, g++, is not installed"));
}

TEST_F(AotSourceTest, AProcessMayHaveNoPath) {
  const std::string path = Variable("PATH");
  unsetenv("PATH");
  EXPECT_EQ(Call(Write("code.cc", Returns("3"))), 3);
  setenv("PATH", "", 1);
  EXPECT_EQ(Call(Write("code.cc", Returns("4"))), 4);
  setenv("PATH", path.c_str(), 1);
}

TEST_F(AotSourceTest, ADamagedEntryIsMadeAgain) {
  const std::string path = Write("code.cc", Returns("3"));
  const auto first = CompileSource(path);
  ASSERT_TRUE(first.ok()) << first.status();
  fs::remove(first->library);
  EXPECT_EQ(Call(path), 3);
  std::ofstream(fs::path(first->library).parent_path() / "key") << "of another";
  std::ofstream(first->library) << "another";
  EXPECT_EQ(Call(path), 3);
  // What a machine leaves that stops before its disk has all.
  for (const size_t size : {size_t{0}, size_t{3000}, fs::file_size(first->library) - 1}) {
    fs::resize_file(first->library, size);
    EXPECT_EQ(Call(path), 3) << size;
  }
  EXPECT_EQ(Entries(), 1);
}

TEST_F(AotSourceTest, AProcessMayIgnoreTheEndsOfItsChildren) {
  const auto before = signal(SIGCHLD, SIG_IGN);
  EXPECT_EQ(Call(Write("code.cc", Returns("3"))), 3);
  const absl::Status wrong = CompileSource(Write("wrong.cc", Returns("no_such_name"))).status();
  EXPECT_THAT(std::string(wrong.message()), HasSubstr("g++ exited with status 1"));
  const std::string path = Variable("PATH");
  setenv("PATH", root_.c_str(), 1);
  const absl::Status missing = CompileSource(Write("code.cc", Returns("3"))).status();
  setenv("PATH", path.c_str(), 1);
  EXPECT_THAT(std::string(missing.message()), HasSubstr("its compiler, g++, is not installed"));
  signal(SIGCHLD, before);
}

TEST_F(AotSourceTest, AFolderThatOthersCanWriteToIsNotUsed) {
  const fs::path open = root_ / "open/callbridge";
  fs::create_directories(open / "aot");
  fs::permissions(open, fs::perms::all);
  setenv("XDG_CACHE_HOME", open.parent_path().c_str(), 1);
  const std::string home = Variable("HOME");
  fs::create_directory(root_ / "home");
  setenv("HOME", (root_ / "home").c_str(), 1);
  const auto in_home = CompileSource(Write("code.cc", Returns("3")));
  setenv("HOME", "/dev/null", 1);
  setenv("TMPDIR", root_.c_str(), 1);
  const auto in_tmp = CompileSource(root_ / "code.cc");
  setenv("TMPDIR", "/dev/null", 1);
  const auto nowhere = CompileSource(root_ / "code.cc");
  setenv("HOME", home.c_str(), 1);
  unsetenv("TMPDIR");
  ASSERT_TRUE(in_home.ok()) << in_home.status();
  EXPECT_THAT(in_home->library, StartsWith((root_ / "home/.cache/callbridge/aot/").native()));
  ASSERT_TRUE(in_tmp.ok()) << in_tmp.status();
  EXPECT_THAT(in_tmp->library, StartsWith((root_ / "callbridge-").native()));
  EXPECT_EQ(nowhere.status().code(), StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(nowhere.status().message()), HasSubstr("XDG_CACHE_HOME"));
}

// Folders that a variable may name, by what is there.
class CacheFoldersTest : public AotSourceTest {
 protected:
  CacheFoldersTest() : folder_(fs::current_path()) {
    for (const char* name : {"XDG_CACHE_HOME", "HOME", "TMPDIR"}) {
      before_.emplace_back(name, Variable(name));
      setenv(name, (root_ / "nowhere/at/all").c_str(), 1);
    }
    source_ = Write("code.cc", Returns("3"));
    Write("file", "");
    fs::create_directory(root_ / "there");
    fs::current_path(root_);
  }
  ~CacheFoldersTest() override {
    fs::current_path(folder_);
    for (const auto& [name, value] : before_) setenv(name.c_str(), value.c_str(), 1);
  }

  // Where the library is, or the error's code.
  std::string Place() const {
    const absl::StatusOr<CompiledSource> compiled = CompileSource(source_);
    if (!compiled.ok()) return absl::StatusCodeToString(compiled.status().code());
    const fs::path place = fs::path(compiled->library).parent_path().parent_path();
    return fs::relative(place, root_).native();
  }

  // What is in root_, but for the compiled operators.
  std::set<std::string> Folders() const {
    std::set<std::string> names;
    for (const auto& entry : fs::recursive_directory_iterator(root_)) {
      const fs::path path = fs::relative(entry.path(), root_);
      if (path.native().find("/aot/") == std::string::npos && entry.is_directory()) {
        names.insert(path.native());
      }
    }
    return names;
  }

  const std::string own_ = "callbridge-" + std::to_string(geteuid());
  std::string source_;

 private:
  const fs::path folder_;
  std::vector<std::pair<std::string, std::string>> before_;
};

TEST_F(CacheFoldersTest, OfThoseThatAreNamedTheCachesAloneIsMade) {
  const std::string error = "FAILED_PRECONDITION";
  EXPECT_EQ(Place(), error);
  EXPECT_EQ(Folders(), (std::set<std::string>{"there"}));
  struct Case {
    const char* variable;
    std::string value;
    std::string place;
    std::set<std::string> made;
  };
  const std::string root = root_.native();
  const Case cases[] = {
      {"XDG_CACHE_HOME",
       root + "/there",
       "there/callbridge/aot",
       {"there/callbridge", "there/callbridge/aot"}},
      {"XDG_CACHE_HOME",
       root + "/new",
       "new/callbridge/aot",
       {"new", "new/callbridge", "new/callbridge/aot"}},
      {"XDG_CACHE_HOME", root + "/new/deep", error, {}},
      {"XDG_CACHE_HOME", root + "/file", error, {}},
      {"XDG_CACHE_HOME", root + "/file/deep", error, {}},
      {"XDG_CACHE_HOME", "there", error, {}},  // relative
      {"XDG_CACHE_HOME", "", error, {}},
      {"HOME",
       root + "/there",
       "there/.cache/callbridge/aot",
       {"there/.cache", "there/.cache/callbridge", "there/.cache/callbridge/aot"}},
      {"HOME", root + "/new", error, {}},
      {"HOME", root + "/file", error, {}},
      {"HOME", "there", error, {}},
      {"HOME", "", error, {}},
      {"TMPDIR",
       root + "/there",
       "there/" + own_ + "/aot",
       {"there/" + own_, "there/" + own_ + "/aot"}},
      {"TMPDIR", "there", "there/" + own_ + "/aot", {"there/" + own_, "there/" + own_ + "/aot"}},
      {"TMPDIR", root + "/new", error, {}},
      {"TMPDIR", root + "/file", error, {}},
  };
  for (const Case& given : cases) {
    SCOPED_TRACE(std::string(given.variable) + "=" + given.value);
    const std::string before = Variable(given.variable);
    setenv(given.variable, given.value.c_str(), 1);
    EXPECT_EQ(Place(), given.place);
    std::set<std::string> folders = given.made;
    folders.insert("there");
    EXPECT_EQ(Folders(), folders);
    setenv(given.variable, before.c_str(), 1);
    fs::remove_all(root_ / "there");
    fs::remove_all(root_ / "new");
    fs::create_directory(root_ / "there");
  }
}

TEST_F(CacheFoldersTest, TheFirstThatWorksIsTaken) {
  setenv("TMPDIR", (root_ / "there").c_str(), 1);
  setenv("HOME", (root_ / "there").c_str(), 1);
  EXPECT_EQ(Place(), "there/.cache/callbridge/aot");
  EXPECT_EQ(Folders().count("there/" + own_), 0);
  setenv("XDG_CACHE_HOME", (root_ / "cache").c_str(), 1);
  fs::remove_all(root_ / "there/.cache");
  EXPECT_EQ(Place(), "cache/callbridge/aot");
  EXPECT_EQ(Folders().count("there/.cache"), 0);
}

TEST_F(AotSourceTest, ThreadsMayCompileTheSameSource) {
  const std::string path = Write("code.cc", Returns("3"));
  std::vector<std::string> libraries(4);
  std::vector<std::thread> threads;
  for (std::string& library : libraries) {
    threads.emplace_back([&] { library = CompileSource(path).value_or(CompiledSource{}).library; });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(std::set<std::string>(libraries.begin(), libraries.end()).size(), 1);
  EXPECT_TRUE(fs::exists(libraries[0]));
  EXPECT_EQ(Entries(), 1);
}

TEST_F(AotSourceTest, CudaSourcesAreCompiledByNvcc) {
  const std::string path = Write("code.cu",
                                 "#include <cstdint>\n"
                                 "__global__ void Kernel(float* a) { *a = 1; }\n"
                                 "extern \"C\" int Code(int n, void** p, int*, int64_t**, "
                                 "const char**, void* stream, void*) {\n"
                                 "  if (n != 0) Kernel<<<1, 1, 0, (cudaStream_t)stream>>>("
                                 "(float*)p[0]);\n"
                                 "  return 3;\n}\n");
  const auto compiled = CompileSource(path);
  if (compiled.status().code() == StatusCode::kFailedPrecondition) {
    EXPECT_THAT(std::string(compiled.status().message()), HasSubstr("nvcc, is not installed"));
    GTEST_SKIP() << "there is no nvcc here";
  }
  ASSERT_TRUE(compiled.ok()) << compiled.status();
  EXPECT_EQ(Call(path), 3);
  // The host's code is preprocessed without __CUDA_ARCH__.
  Write("of_host.h", "#define CODE 4\n");
  const std::string text =
      "#ifdef __CUDA_ARCH__\n#define CODE 0\n#else\n#include \"of_host.h\"\n#endif\n";
  EXPECT_EQ(Call(Write("code.cu", text + Returns("CODE"))), 4);
  Write("of_host.h", "#define CODE 5\n");
  EXPECT_EQ(Call(path), 5);
  const absl::Status wrong = CompileSource(Write("wrong.cu", "int f() { return no; }")).status();
  EXPECT_EQ(wrong.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(wrong.message()), HasSubstr("identifier \"no\" is undefined"));
}

}  // namespace
}  // namespace mindspore_aot
}  // namespace callbridge
