#include "callbridge/loader/target_library.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <mutex>
#include <system_error>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/memory/memory.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "callbridge/abi/nearest_name.h"
#include "callbridge/abi/per_process.h"
#include "callbridge/abi/table_lock.h"
#include "callbridge/adapters/link/old_symbols.h"
#include "callbridge/legacy/target_registry.h"
#include "callbridge/loader/child_process.h"
#include "callbridge/loader/demangled_name.h"
#include "callbridge/loader/elf_file.h"
#include "callbridge/loader/elf_sections.h"
#include "callbridge/loader/files.h"
#include "callbridge/loader/loaded_copy.h"
#include "callbridge/loader/origin.h"
#include "callbridge/loader/private_copy.h"
#include "callbridge/loader/protobuf_symbols.h"
#include "callbridge/loader/registered_targets.h"
#include "callbridge/loader/target_evidence.h"

namespace callbridge {
namespace {

absl::Status WithPath(const std::string& path, const absl::Status& status) {
  return absl::Status(status.code(), absl::StrCat(path, ": ", status.message()));
}

std::string Absolute(const std::string& path) {
  std::error_code error;
  return std::filesystem::absolute(path, error).native();
}

absl::StatusOr<PrivateCopy> MakeCopy(ElfFile original, const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(Absolute(path)).parent_path();
  absl::StatusOr<ElfFile> file = WithOrigin(std::move(original), folder.native());
  if (file.ok()) file = WithDebugLink(*std::move(file), folder.native());
  if (!file.ok()) return file.status();
  const absl::StatusOr<std::vector<std::string>> imports = ProtobufImports(*file, path);
  if (!imports.ok()) return imports.status();
  if (imports->empty()) return MakePrivateCopy(*std::move(file), OldSymbols());
  absl::StatusOr<std::vector<OldSymbol>> symbols = BindProtobufImports(*imports);
  if (!symbols.ok()) return symbols.status();
  symbols->insert(symbols->end(), OldSymbols().begin(), OldSymbols().end());
  return MakePrivateCopy(*std::move(file), *symbols);
}

// Returns OK if TargetLibrary::Load(path) returns in the helper process, with whatever status: it
// will do so here. Returns INTERNAL with how the process ended instead, DEADLINE_EXCEEDED if it had
// not ended within `limit`, FAILED_PRECONDITION if callbridge-load is not installed.
absl::Status TryLoadElsewhere(const std::string& path, absl::Duration limit) {
  absl::StatusOr<std::string> program =
      FindHelperProgram("callbridge-load", "CALLBRIDGE_LOAD_PROGRAM");
  if (!program.ok()) return program.status();
  ChildProcess child;
  child.command = {*program, PathForChild(path), LoadedCallbridge()};
  child.gathered = {kLoadedDescriptor};
  child.limit = limit;
  absl::StatusOr<ChildOutcome> outcome = RunChild(child);
  if (!outcome.ok()) return outcome.status();
  if (!outcome->output.empty()) return absl::OkStatus();
  const std::string wrong = WhatWentWrong(*outcome, limit);
  const std::string message =
      absl::StrCat("a constructor ends the process that loads it: in isolation it ",
                   wrong.empty() ? "exited with status 0" : wrong);
  return outcome->timed_out ? absl::DeadlineExceededError(message) : absl::InternalError(message);
}

// Sorts by name, then platform; of targets registered twice, keeps the last.
std::vector<RegisteredTarget> WithoutReplaced(const std::vector<RegisteredTarget>& registered) {
  std::map<std::pair<std::string, std::string>, RegisteredTarget> last;
  for (const RegisteredTarget& target : registered) last[{target.name, target.platform}] = target;
  std::vector<RegisteredTarget> targets;
  targets.reserve(last.size());
  for (auto& entry : last) targets.push_back(std::move(entry.second));
  return targets;
}

// "a on Host, b on CUDA and 3 more".
std::string DescribeTargets(const std::vector<LibraryTarget>& targets) {
  constexpr size_t kMaximum = 20;
  if (targets.empty()) return "nothing";
  std::string text;
  for (size_t i = 0; i < std::min(targets.size(), kMaximum); ++i) {
    absl::StrAppend(&text, i == 0 ? "" : ", ", targets[i].registered.name, " on ",
                    targets[i].registered.platform);
  }
  if (targets.size() > kMaximum)
    absl::StrAppend(&text, " and ", targets.size() - kMaximum, " more");
  return text;
}

// Returns whether the dynamic symbol at `address` is a variable's.
bool IsVariable(const void* address) {
  Dl_info info;
  void* found = nullptr;
  if (dladdr1(address, &info, &found, RTLD_DL_SYMENT) == 0 || found == nullptr) return false;
  const int type = ELF64_ST_TYPE(static_cast<const Elf64_Sym*>(found)->st_info);
  return info.dli_saddr == address && (type == STT_OBJECT || type == STT_TLS);
}

// The loaded libraries, by the first address of their code and data. Thread-safe.
class LoadedLibraries {
 public:
  static LoadedLibraries& Global() {
    const TableLock lock;
    static auto& libraries = *new LoadedLibraries;
    return libraries;
  }

  void Add(const LoadedCopy& copy, std::weak_ptr<const TargetLibrary> library) {
    const TableLock lock;
    libraries_[copy.begin()] = {copy.end(), std::move(library)};
  }
  void Remove(const LoadedCopy& copy) {
    const TableLock lock;
    libraries_.erase(copy.begin());
  }
  std::shared_ptr<const TargetLibrary> Holding(uint64_t address) {
    const TableLock lock;
    auto next = libraries_.upper_bound(address);
    if (next == libraries_.begin()) return nullptr;
    const Entry& entry = std::prev(next)->second;
    return address < entry.end ? entry.library.lock() : nullptr;
  }

 private:
  struct Entry {
    uint64_t end;
    std::weak_ptr<const TargetLibrary> library;
  };

  std::map<uint64_t, Entry> libraries_;  // under the TableLock
};

// Returns the spellings of a platform in registering code.
std::vector<const char*> PlatformSpellings(Platform platform) {
  switch (platform) {
    case Platform::kHost:
      return {"Host", "cpu"};
    case Platform::kCuda:
      return {"CUDA", "gpu"};
    case Platform::kRocm:
      return {"ROCM", "gpu"};
  }
  return {};
}

bool IsOn(const RegisteredTarget& target, Platform platform) {
  // "gpu" matches any GPU platform.
  const absl::StatusOr<Platform> registered =
      ParsePlatform(target.platform, IsGpu(platform) ? platform : Platform::kCuda);
  return registered.ok() && *registered == platform;
}

}  // namespace

LoadingLock::LoadingLock() : lock_(PerProcess<std::recursive_mutex, LoadingLock>::Get()) {}

TargetLibrary::TargetLibrary(std::string path, std::unique_ptr<LoadedCopy> copy)
    : path_(std::move(path)),
      absolute_path_(Absolute(path_)),
      file_(FileState::Of(absolute_path_)),
      copy_(std::move(copy)) {}

TargetLibrary::TargetLibrary(std::string path, std::unique_ptr<GenuineBinding> binding,
                             FunctionNames names)
    : path_(std::move(path)),
      absolute_path_(Absolute(path_)),
      file_(FileState::Of(absolute_path_)),
      binding_(std::move(binding)),
      names_(std::move(names)) {}

std::optional<std::string> TargetLibrary::UnchangedFile() const {
  const std::optional<FileState> now = FileState::Of(absolute_path_);
  const bool is_unchanged = file_.has_value() && now.has_value() && now->IsAsIn(*file_);
  return is_unchanged ? std::make_optional(absolute_path_) : std::nullopt;
}

std::shared_ptr<TargetLibrary> TargetLibrary::OfBinding(const std::string& path,
                                                        const ElfFile& file,
                                                        std::unique_ptr<GenuineBinding> binding) {
  std::shared_ptr<TargetLibrary> library =
      absl::WrapUnique(new TargetLibrary(path, std::move(binding), FunctionNames(file)));
  for (const RegisteredTarget& target : library->binding_->TargetsNamedIn(file)) {
    library->targets_.push_back(library->WithBinding(target));
  }
  return library;
}

LibraryTarget TargetLibrary::WithBinding(const RegisteredTarget& registered) const {
  LibraryTarget target = WithEvidence(registered, *names_, binding_->load_address());
  absl::StrAppend(&target.evidence, "; registered with ", binding_->registry_file(),
                  ", to which the library was bound before");
  return target;
}

std::optional<LibraryTarget> TargetLibrary::FindBound(const std::string& name,
                                                      Platform platform) const {
  for (const char* written : PlatformSpellings(platform)) {
    void* address = binding_->Lookup(name, written);
    if (address != nullptr) return WithBinding({name, written, address});
  }
  return std::nullopt;
}

const std::string& TargetLibrary::bound_to() const {
  static const std::string& none = *new std::string;
  return binding_ != nullptr ? binding_->registry_file() : none;
}

void* TargetLibrary::Exported(const std::string& symbol) const {
  return copy_ != nullptr ? copy_->Exported(symbol) : nullptr;
}

std::string TargetLibrary::FunctionLike(const std::string& name) const {
  const std::optional<std::string> file = UnchangedFile();
  if (!file.has_value()) return "";
  const absl::StatusOr<std::string> bytes = ReadRegularFile(*file);
  if (!bytes.ok()) return "";
  const absl::StatusOr<ElfFile> elf = ElfFile::Parse(*bytes);
  if (!elf.ok()) return "";
  const std::vector<std::string> functions = ExportedFunctions(*elf);
  for (const std::string& symbol : functions) {
    const std::string function = Demangled(symbol);
    if (!function.empty() && UnqualifiedName(function) == name) {
      return absl::StrCat("; did you mean ", symbol, ", which is ", function, "?");
    }
  }
  return DidYouMean(name, functions);
}

absl::StatusOr<LibraryTarget> TargetLibrary::Function(const std::string& symbol,
                                                      Platform platform) const {
  if (binding_ != nullptr) {
    return absl::FailedPreconditionError(
        absl::StrCat(path_, ": this process opened it before, bound to ", bound_to(),
                     ", so that callbridge knows only the targets that it registers"));
  }
  void* address = Exported(symbol);
  if (address == nullptr) {
    return absl::NotFoundError(
        absl::StrCat(path_, ": exports no function ", symbol, FunctionLike(symbol)));
  }
  if (IsVariable(address)) {
    return absl::InvalidArgumentError(
        absl::StrCat(path_, ": ", symbol, " is a variable, not a function"));
  }
  TargetEvidence evidence = EvidenceOfSymbols({symbol}, PlatformName(platform));
  return LibraryTarget{{symbol, std::string(PlatformName(platform)), address},
                       evidence.api_version,
                       std::move(evidence.text)};
}

TargetLibrary::~TargetLibrary() {
  if (copy_ == nullptr) return;
  LoadedLibraries::Global().Remove(*copy_);
  for (const LibraryTarget& target : targets_) TargetRegistry::Global().Forget(target.registered);
  registrations_.Forget(typed_ffi::kNewestVersion);
}

std::shared_ptr<const TargetLibrary> TargetLibrary::Holding(const void* address) {
  return LoadedLibraries::Global().Holding(reinterpret_cast<uintptr_t>(address));
}

absl::Status TargetLibrary::Unload(std::shared_ptr<TargetLibrary>& library) {
  const long others = library.use_count() - 1;
  if (others > 0) {
    return absl::FailedPreconditionError(absl::StrCat(
        library->path(), ": it stays loaded, since ", others,
        " uses of it are left: destroy the calls that are bound to its targets first (a library "
        "cannot be closed once it has given out entry points of a target)"));
  }
  library.reset();
  return absl::OkStatus();
}

absl::StatusOr<std::shared_ptr<TargetLibrary>> TargetLibrary::Load(const std::string& path,
                                                                   const LoadOptions& options) {
  const LoadingLock lock;
  absl::StatusOr<std::string> bytes = ReadRegularFile(path);
  if (!bytes.ok()) return WithPath(path, bytes.status());
  return LoadBytes(path, *std::move(bytes), options);
}

absl::StatusOr<std::shared_ptr<TargetLibrary>> TargetLibrary::LoadBytes(
    const std::string& path, std::string bytes, const LoadOptions& options) {
  const LoadingLock lock;
  absl::StatusOr<ElfFile> original = ElfFile::Parse(std::move(bytes));
  if (!original.ok()) return WithPath(path, original.status());
  if (std::unique_ptr<GenuineBinding> binding = GenuineBinding::Find(path)) {
    return OfBinding(path, *original, std::move(binding));
  }
  absl::StatusOr<PrivateCopy> copy = MakeCopy(*std::move(original), path);
  if (!copy.ok()) return WithPath(path, copy.status());
  if (options.isolate) {
    absl::Status elsewhere = TryLoadElsewhere(path, options.isolation_limit);
    if (!elsewhere.ok()) return WithPath(path, elsewhere);
  }
  if (absl::Status binds = BindingSelfTest(); !binds.ok()) return WithPath(path, binds);
  absl::StatusOr<FileDescriptor> file = WriteCodeFile(copy->file.bytes());
  if (!file.ok()) return WithPath(path, file.status());
  // Begins before the needed libraries are loaded: they may register, too.
  RegistrationScope scope;
  host::RegistrationScope handlers;
  absl::StatusOr<std::unique_ptr<LoadedCopy>> loaded =
      LoadedCopy::Open(*copy, *std::move(file), path);
  if (!loaded.ok()) return loaded.status();
  LoadedCopy& code = **loaded;
  std::shared_ptr<TargetLibrary> library =
      absl::WrapUnique(new TargetLibrary(path, *std::move(loaded)));
  LoadedLibraries::Global().Add(code, library);
  absl::Status constructed = code.RunConstructors();
  const FunctionNames names(copy->file);
  for (const RegisteredTarget& target : WithoutReplaced(scope.targets())) {
    library->targets_.push_back(WithEvidence(target, names, code.load_address()));
  }
  library->registrations_ = handlers.registrations();
  library->targets_ = WithHandlers(std::move(library->targets_), library->registrations_.handlers);
  if (!constructed.ok()) return WithPath(path, constructed);
  return library;
}

Target TargetLibrary::ToTarget(const LibraryTarget& target, Platform platform) const {
  Target found;
  found.name = target.registered.name;
  found.platform = platform;
  found.api_version = target.api_version;
  found.api_version_is_proved = target.api_version != ApiVersion::kUnspecified;
  found.address = target.registered.address;
  found.library = shared_from_this();
  found.stages = target.stages;
  found.traits = target.traits;
  return found;
}

absl::StatusOr<Target> TargetLibrary::Find(absl::string_view name, Platform platform,
                                           ApiVersion declared) const {
  const bool wants_untyped =
      declared != ApiVersion::kUnspecified && declared != ApiVersion::kTypedFfi;
  const LibraryTarget* found = nullptr;
  for (const LibraryTarget& target : targets_) {
    if (target.registered.name != name || !IsOn(target.registered, platform)) continue;
    const bool fits = !wants_untyped || target.api_version != ApiVersion::kTypedFfi;
    if (found == nullptr || fits) found = &target;
    if (fits) break;
  }
  if (found != nullptr) return ToTarget(*found, platform);
  if (binding_ != nullptr) {
    const std::optional<LibraryTarget> bound = FindBound(std::string(name), platform);
    if (bound.has_value()) return ToTarget(*bound, platform);
  }
  std::vector<std::string> names;
  for (const LibraryTarget& target : targets_) names.push_back(target.registered.name);
  return absl::NotFoundError(
      absl::StrCat(path_, ": no custom-call target ", name, " is registered for platform ",
                   PlatformName(platform), "; registered are: ", DescribeTargets(targets_),
                   absl::c_linear_search(names, name) ? "" : DidYouMean(name, names)));
}

}  // namespace callbridge
