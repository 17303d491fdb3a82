#include "callbridge/mindspore_aot/aot_source.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "callbridge/loader/content_digest.h"
#include "callbridge/loader/files.h"
#include "callbridge/mindspore_aot/source_compiler.h"

namespace callbridge {
namespace mindspore_aot {
namespace {

namespace fs = std::filesystem;

// The files of a compiled operator, in a folder of its own.
constexpr char kKeyFile[] = "key";
constexpr char kLibraryFile[] = "operator.so";
// By its suffix g++ knows that it is preprocessed.
constexpr char kPreprocessedFile[] = "preprocessed.ii";

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

// Where compiled operators may be kept.
struct Place {
  fs::path folder;
  // That of the folders above which is made too; empty if they all must be there.
  fs::path made_too;
};

std::vector<Place> Places() {
  std::vector<Place> places;
  // By the XDG Base Directory Specification a relative path is ignored.
  if (const fs::path cache = Variable("XDG_CACHE_HOME"); cache.is_absolute()) {
    places.push_back({cache / "callbridge", cache});
  }
  if (const fs::path home = Variable("HOME"); home.is_absolute()) {
    places.push_back({home / ".cache" / "callbridge", home / ".cache"});
  }
  const std::string own = absl::StrCat("callbridge-", geteuid());
  std::error_code error;
  places.push_back({fs::absolute(Variable("TMPDIR", "/tmp"), error) / own, {}});
  return places;
}

absl::StatusOr<fs::path> CacheFolder() {
  const std::vector<Place> places = Places();
  for (const auto& [folder, made_too] : places) {
    // Each fails where the folder above is missing; what is there keeps its mode.
    if (!made_too.empty()) mkdir(made_too.c_str(), S_IRWXU);
    mkdir(folder.c_str(), S_IRWXU);
    mkdir((folder / "aot").c_str(), S_IRWXU);
    if (IsOwn(folder) && IsOwn(folder / "aot")) return folder / "aot";
  }
  return absl::FailedPreconditionError(
      absl::StrCat("no folder for compiled operators: this user cannot make or write to ",
                   absl::StrJoin(places, ", nor to ",
                                 [](std::string* text, const Place& place) {
                                   absl::StrAppend(text, place.folder.native());
                                 }),
                   ", or others can; set XDG_CACHE_HOME to a folder of this user's"));
}

// ---- Compiling

// A source file, compiled in a folder that is removed afterwards.
class Compilation {
 public:
  Compilation(const std::string& path, fs::path source, absl::Duration limit, fs::path work)
      : path_(path),
        source_(std::move(source)),
        compiler_(path, limit),
        includes_(IncludeOptions(source_.parent_path().native())),
        work_(std::move(work)) {}

  // Finds out what the compiler and its options are, and preprocesses the source.
  absl::Status Begin() {
    absl::StatusOr<std::string> version = compiler_.Run({"--version"});
    if (!version.ok()) return version.status();
    version_ = *std::move(version);
    absl::StatusOr<std::vector<std::string>> options = compiler_.Options();
    if (!options.ok()) return options.status();
    options_ = *std::move(options);
    return Preprocess();
  }

  // Compiles what was preprocessed to folder()/kLibraryFile.
  absl::Status Compile() {
    const std::string library = work_.File(kLibraryFile);
    if (!compiler_.IsForCuda()) {
      absl::Status compiled = Run({options_, {"-o", library, work_.File(kPreprocessedFile)}});
      return compiled.ok() ? AddWhatIsNotInTheText(library) : compiled;
    }
    constexpr int kTries = 3;
    for (int i = 0; i < kTries; ++i) {
      const std::string before = key_;
      absl::Status compiled = Run({options_, includes_, {"-o", library, source_.native()}});
      if (compiled.ok()) compiled = Preprocess();
      if (!compiled.ok()) return compiled;
      if (key_ == before) return AddWhatIsNotInTheText(library);
    }
    return absl::AbortedError(
        absl::StrCat(path_, " changed whenever it was compiled; load it again"));
  }

  // Whether a library of the same key is the same: if the assembler reads no other files.
  bool is_all_in_the_text() const { return is_all_in_the_text_; }
  const std::string& key() const { return key_; }
  const fs::path& folder() const { return work_.path(); }

 private:
  absl::Status Run(std::initializer_list<std::vector<std::string>> lists) const {
    std::vector<std::string> arguments;
    for (const std::vector<std::string>& list : lists) {
      arguments.insert(arguments.end(), list.begin(), list.end());
    }
    return compiler_.Run(arguments).status();
  }

  absl::Status Preprocess() {
    key_ = absl::StrCat(version_, absl::StrJoin(options_, " "), "\n");
    is_all_in_the_text_ = true;
    const std::string preprocessed = work_.File(kPreprocessedFile);
    for (const std::vector<std::string>& pass : compiler_.Passes()) {
      absl::Status done = Run({options_, includes_, pass, {"-o", preprocessed, source_.native()}});
      if (!done.ok()) return done;
      absl::StatusOr<std::string> text = ReadRegularFile(preprocessed);
      if (!text.ok()) return text.status();
      if (absl::StrContains(*text, ".incbin")) is_all_in_the_text_ = false;
      absl::StrAppend(&key_, CodeOf(*text));
    }
    return absl::OkStatus();
  }

  absl::Status AddWhatIsNotInTheText(const std::string& library) {
    if (is_all_in_the_text_) return absl::OkStatus();
    const absl::StatusOr<std::string> bytes = ReadRegularFile(library);
    if (bytes.ok()) absl::StrAppend(&key_, ContentDigest(*bytes));
    return bytes.status();
  }

  const std::string path_;
  const fs::path source_;
  const SourceCompiler compiler_;
  const std::vector<std::string> includes_;
  const WorkFolder work_;
  std::string version_;
  std::vector<std::string> options_;
  std::string key_;
  bool is_all_in_the_text_ = true;
};

// Returns the file's path, the same for all ways to its folder. The link that it may be stays,
// since headers are looked for beside it.
absl::StatusOr<fs::path> FindSource(const std::string& path) {
  std::error_code error;
  const fs::path absolute = fs::absolute(path, error);
  // A compiler would wait for a FIFO, and calls a folder missing.
  if (absl::Status checked = CheckRegularFile(absolute, "a source file"); !checked.ok()) {
    return absl::Status(checked.code(), absl::StrCat(path, ": ", checked.message()));
  }
  const fs::path folder = fs::canonical(absolute.parent_path(), error);
  return error ? absolute : folder / absolute.filename();
}

// What the key's file holds: a machine that stopped may have left a part of the library, or none.
absl::StatusOr<std::string> KeyWithLibrary(const fs::path& entry, absl::string_view key) {
  const absl::StatusOr<std::string> library = ReadRegularFile(entry / kLibraryFile);
  if (!library.ok()) return library.status();
  return absl::StrCat("library ", ContentDigest(*library), "\n", key);
}

bool Holds(const fs::path& entry, absl::string_view key) {
  const absl::StatusOr<std::string> found = ReadRegularFile(entry / kKeyFile);
  const absl::StatusOr<std::string> expected = KeyWithLibrary(entry, key);
  return found.ok() && expected.ok() && *found == *expected;
}

}  // namespace

bool IsSource(const std::string& path) {
  const std::string suffix = fs::path(path).extension().native();
  return suffix == ".cc" || suffix == ".cpp" || suffix == ".cu";
}

absl::StatusOr<CompiledSource> CompileSource(const std::string& path, absl::Duration limit) {
  absl::StatusOr<fs::path> source = FindSource(path);
  if (!source.ok()) return source.status();
  absl::StatusOr<fs::path> cache = CacheFolder();
  if (!cache.ok()) return cache.status();
  std::string work_name = *cache / "compiling-XXXXXX";
  if (mkdtemp(work_name.data()) == nullptr) {
    return absl::FailedPreconditionError(
        absl::StrCat("no folder for compiled operators in ", cache->native()));
  }
  Compilation compilation(path, *std::move(source), limit, work_name);
  absl::Status begun = compilation.Begin();
  if (!begun.ok()) return begun;

  const auto entry_of = [&](const std::string& content) { return *cache / content; };
  std::string content = ContentDigest(compilation.key());
  if (compilation.is_all_in_the_text() && Holds(entry_of(content), compilation.key())) {
    return CompiledSource{(entry_of(content) / kLibraryFile).native(), content};
  }
  absl::Status compiled = compilation.Compile();
  if (!compiled.ok()) return compiled;
  content = ContentDigest(compilation.key());
  const fs::path entry = entry_of(content);
  const fs::path& work = compilation.folder();
  std::error_code error;
  fs::remove(work / kPreprocessedFile, error);
  const absl::StatusOr<std::string> held = KeyWithLibrary(work, compilation.key());
  if (held.ok()) std::ofstream(work / kKeyFile, std::ios::binary) << *held;
  if (!Holds(work, compilation.key())) {
    return absl::FailedPreconditionError(absl::StrCat("cannot write to ", work.native()));
  }
  fs::rename(work, entry, error);
  if (error && !Holds(entry, compilation.key())) {
    fs::remove_all(entry, error);
    fs::rename(work, entry, error);
  }
  if (!Holds(entry, compilation.key())) {
    return absl::FailedPreconditionError(
        absl::StrCat("cannot write to ", entry.native(), ": ", error.message()));
  }
  return CompiledSource{(entry / kLibraryFile).native(), content};
}

}  // namespace mindspore_aot
}  // namespace callbridge
