#include "callbridge/mindspore_aot/aot_source.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "callbridge/loader/child_process.h"
#include "callbridge/loader/files.h"

namespace callbridge {
namespace mindspore_aot {
namespace {

namespace fs = std::filesystem;

// The files of a compiled operator, in a folder of its own.
constexpr char kKeyFile[] = "key";
constexpr char kLibraryFile[] = "operator.so";
// Of a compiler's output in an error.
constexpr size_t kMaximumOutput = 16 << 10;
// The oldest of MindSpore's own architectures.
constexpr int kOldestArchitecture = 70;

std::string Variable(const char* name, const char* otherwise = "") {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : otherwise;
}

// ---- Folders

// Removes itself, with what is in it.
class WorkFolder {
 public:
  explicit WorkFolder(fs::path path) : path_(std::move(path)) {}
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;
  ~WorkFolder() {
    std::error_code error;
    fs::remove_all(path_, error);
  }

  std::string File(const char* name) const { return path_ / name; }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

// Returns whether what is in `folder` was put there by this user.
bool IsOwn(const fs::path& folder) {
  struct stat status = {};
  return lstat(folder.c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
         status.st_uid == geteuid() && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0 &&
         access(folder.c_str(), W_OK) == 0;
}

absl::StatusOr<fs::path> CacheFolder() {
  std::vector<fs::path> places;
  if (const std::string cache = Variable("XDG_CACHE_HOME"); !cache.empty()) {
    places.push_back(fs::path(cache) / "callbridge");
  }
  if (const std::string home = Variable("HOME"); !home.empty()) {
    places.push_back(fs::path(home) / ".cache" / "callbridge");
  }
  places.push_back(fs::path(Variable("TMPDIR", "/tmp")) / absl::StrCat("callbridge-", geteuid()));
  for (const fs::path& place : places) {
    std::error_code error;
    fs::create_directories(place.parent_path(), error);
    // Those that are there keep their mode.
    mkdir(place.c_str(), S_IRWXU);
    mkdir((place / "aot").c_str(), S_IRWXU);
    if (IsOwn(place) && IsOwn(place / "aot")) return place / "aot";
  }
  return absl::FailedPreconditionError(absl::StrCat(
      "no folder for compiled operators: this user cannot write to ",
      absl::StrJoin(
          places, ", nor to ",
          [](std::string* text, const fs::path& place) { absl::StrAppend(text, place.native()); }),
      ", or others can; set XDG_CACHE_HOME"));
}

// ---- Compilers

class Compiler {
 public:
  Compiler(const std::string& source, absl::Duration limit)
      : source_(source),
        name_(fs::path(source).extension() == ".cu" ? "nvcc" : "g++"),
        limit_(limit) {}

  bool IsForCuda() const { return name_ == "nvcc"; }

  // Returns what the compiler prints.
  absl::StatusOr<std::string> Run(const std::vector<std::string>& arguments) const {
    ChildProcess child;
    // It says "env: 'nvcc': No such file or directory", and exits with 127, if there is none.
    child.command = {"/usr/bin/env", name_};
    child.command.insert(child.command.end(), arguments.begin(), arguments.end());
    child.limit = limit_;
    if (IsForCuda()) {
      child.variables.push_back(absl::StrCat("PATH=", Variable("PATH", "/usr/bin:/bin"), ":",
                                             Variable("CUDA_HOME", "/usr/local/cuda"),
                                             "/bin:/usr/local/cuda/bin"));
    }
    absl::StatusOr<ChildOutcome> outcome = RunChild(child);
    if (!outcome.ok()) return outcome.status();
    const std::string wrong = WhatWentWrong(*outcome, limit_);
    if (wrong.empty()) return std::move(outcome->output);
    if (outcome->exit_status == 127) {
      return absl::FailedPreconditionError(
          absl::StrCat(source_, ": its compiler, ", name_,
                       ", is not installed; install it, or name a library: PATH.so:FUNCTION"));
    }
    // As MindSpore begins it, since users search for it.
    const std::string text =
        absl::StrCat("Compilation error in compiling ", source_, ": ", name_, " ", wrong, "\n",
                     outcome->output.substr(0, kMaximumOutput));
    return outcome->timed_out ? absl::DeadlineExceededError(text)
                              : absl::InvalidArgumentError(text);
  }

  // Returns the options that change the code.
  absl::StatusOr<std::vector<std::string>> Options() const {
    if (!IsForCuda()) {
      return std::vector<std::string>{"-std=c++17", "--shared", "-fPIC",
                                      "-D_GLIBCXX_USE_CXX11_ABI=0"};
    }
    absl::StatusOr<int> architecture = OldestArchitecture();
    if (!architecture.ok()) return architecture.status();
    return std::vector<std::string>{"--shared",
                                    "-Xcompiler",
                                    "-fPIC",
                                    "-O3",
                                    "-gencode",
                                    absl::StrCat("arch=compute_", *architecture, ",code=[sm_",
                                                 *architecture, ",compute_", *architecture, "]"),
                                    "--use_fast_math",
                                    "--expt-relaxed-constexpr",
                                    "--expt-extended-lambda",
                                    "-D_GLIBCXX_USE_CXX11_ABI=0"};
  }

  std::vector<std::string> WithoutLineNumbers() const {
    return IsForCuda() ? std::vector<std::string>{"-E", "-Xcompiler", "-P"}
                       : std::vector<std::string>{"-E", "-P"};
  }

 private:
  absl::StatusOr<int> OldestArchitecture() const {
    absl::StatusOr<std::string> list = Run({"--list-gpu-arch"});
    if (!list.ok()) return list.status();
    int oldest = 0;
    for (absl::string_view name : absl::StrSplit(*list, absl::ByAnyChar(" \n"))) {
      int number = 0;
      if (!absl::ConsumePrefix(&name, "compute_") || !absl::SimpleAtoi(name, &number)) continue;
      if (number >= kOldestArchitecture && (oldest == 0 || number < oldest)) oldest = number;
    }
    if (oldest == 0) {
      return absl::FailedPreconditionError(
          absl::StrCat(source_, ": nvcc lists no architecture from compute_", kOldestArchitecture,
                       " on: ", *list));
    }
    return oldest;
  }

  const std::string source_;
  const std::string name_;
  const absl::Duration limit_;
};

// MindSpore's: the working folder and the source's.
std::vector<std::string> IncludeOptions(const fs::path& source) {
  std::vector<std::string> options = {"-I.", absl::StrCat("-I", source.parent_path().native())};
  // Without it, a source that includes the header says so.
  const absl::StatusOr<std::string> header =
      FindHeader("custom_aot_extra.h", "CALLBRIDGE_CUSTOM_AOT_EXTRA");
  if (header.ok()) options.push_back(absl::StrCat("-I", fs::path(*header).parent_path().native()));
  return options;
}

std::vector<std::string> Joined(std::initializer_list<std::vector<std::string>> lists) {
  std::vector<std::string> all;
  for (const std::vector<std::string>& list : lists)
    all.insert(all.end(), list.begin(), list.end());
  return all;
}

bool Holds(const fs::path& entry, absl::string_view key) {
  const absl::StatusOr<std::string> found = ReadRegularFile(entry / kKeyFile);
  return found.ok() && *found == key && access((entry / kLibraryFile).c_str(), R_OK) == 0;
}

}  // namespace

bool IsSource(const std::string& path) {
  const std::string suffix = fs::path(path).extension().native();
  return suffix == ".cc" || suffix == ".cpp" || suffix == ".cu";
}

absl::StatusOr<std::string> CompileSource(const std::string& path, absl::Duration limit) {
  std::error_code error;
  const fs::path source = fs::absolute(path, error);
  if (error || !fs::exists(source, error)) {
    return absl::NotFoundError(absl::StrCat(path, ": no such file"));
  }
  absl::StatusOr<fs::path> cache = CacheFolder();
  if (!cache.ok()) return cache.status();
  std::string work_name = *cache / "compiling-XXXXXX";
  if (mkdtemp(work_name.data()) == nullptr) {
    return absl::FailedPreconditionError(
        absl::StrCat("no folder for compiled operators in ", cache->native()));
  }
  const WorkFolder work(work_name);

  const Compiler compiler(path, limit);
  absl::StatusOr<std::string> version = compiler.Run({"--version"});
  if (!version.ok()) return version.status();
  absl::StatusOr<std::vector<std::string>> options = compiler.Options();
  if (!options.ok()) return options.status();
  const std::vector<std::string> includes = IncludeOptions(source);
  const std::string preprocessed = work.File("preprocessed");
  absl::StatusOr<std::string> said = compiler.Run(Joined(
      {*options, includes, compiler.WithoutLineNumbers(), {"-o", preprocessed, source.native()}}));
  if (!said.ok()) return said.status();
  absl::StatusOr<std::string> text = ReadRegularFile(preprocessed);
  if (!text.ok()) return text.status();
  const std::string key = absl::StrCat(*version, absl::StrJoin(*options, " "), "\n", *text);

  // Entries of equal hash replace each other.
  const fs::path entry = *cache / absl::StrCat(absl::Hex(std::hash<std::string>()(key)));
  if (Holds(entry, key)) return (entry / kLibraryFile).native();
  said =
      compiler.Run(Joined({*options, includes, {"-o", work.File(kLibraryFile), source.native()}}));
  if (!said.ok()) return said.status();
  fs::remove(preprocessed, error);
  std::ofstream(work.File(kKeyFile), std::ios::binary) << key;
  if (!Holds(work.path(), key)) {
    return absl::FailedPreconditionError(absl::StrCat("cannot write to ", work.path().native()));
  }
  fs::rename(work.path(), entry, error);
  if (error && !Holds(entry, key)) {
    fs::remove_all(entry, error);
    fs::rename(work.path(), entry, error);
  }
  if (!Holds(entry, key)) {
    return absl::FailedPreconditionError(
        absl::StrCat("cannot write to ", entry.native(), ": ", error.message()));
  }
  return (entry / kLibraryFile).native();
}

}  // namespace mindspore_aot
}  // namespace callbridge
