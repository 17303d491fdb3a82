#include "callbridge/runtime/target_library.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

#include "absl/memory/memory.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "callbridge/adapters/link/old_symbols.h"
#include "callbridge/runtime/elf_file.h"
#include "callbridge/runtime/function_names.h"
#include "callbridge/runtime/loaded_copy.h"
#include "callbridge/runtime/private_copy.h"
#include "callbridge/runtime/regular_file.h"
#include "callbridge/runtime/target_evidence.h"

namespace callbridge {
namespace {

absl::StatusOr<PrivateCopy> ReadPrivateCopy(const std::string& path) {
  absl::StatusOr<std::string> bytes = ReadRegularFile(path);
  if (!bytes.ok()) return bytes.status();
  absl::StatusOr<ElfFile> file = ElfFile::Parse(*std::move(bytes));
  if (!file.ok()) return file.status();
  return MakePrivateCopy(*std::move(file), OldSymbols());
}

// By name, then platform; of those registered twice, the last.
std::vector<RegisteredTarget> WithoutReplaced(const std::vector<RegisteredTarget>& registered) {
  std::map<std::pair<std::string, std::string>, RegisteredTarget> last;
  for (const RegisteredTarget& target : registered) last[{target.name, target.platform}] = target;
  std::vector<RegisteredTarget> targets;
  targets.reserve(last.size());
  for (auto& entry : last) targets.push_back(std::move(entry.second));
  return targets;
}

LibraryTarget WithEvidence(const RegisteredTarget& registered, const ElfFile& file,
                           uint64_t load_address) {
  if (registered.api_version != ApiVersion::kUnspecified) {
    return {registered, registered.api_version, "registered with its type"};
  }
  const uint64_t address = reinterpret_cast<uintptr_t>(registered.address) - load_address;
  TargetEvidence evidence = EvidenceOfSymbols(FunctionNames(file, address), registered.platform);
  return {registered, evidence.api_version, std::move(evidence.text)};
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

bool IsOn(const RegisteredTarget& target, Platform platform) {
  // "gpu" is whichever GPU is asked for.
  const absl::StatusOr<Platform> registered =
      ParsePlatform(target.platform, IsGpu(platform) ? platform : Platform::kCuda);
  return registered.ok() && *registered == platform;
}

}  // namespace

TargetLibrary::TargetLibrary(std::string path, std::unique_ptr<LoadedCopy> copy)
    : path_(std::move(path)), copy_(std::move(copy)) {}

TargetLibrary::~TargetLibrary() {
  for (const LibraryTarget& target : targets_) TargetRegistry::Global().Forget(target.registered);
}

absl::StatusOr<std::shared_ptr<TargetLibrary>> TargetLibrary::Load(const std::string& path) {
  // As under ld.so, constructors run one at a time, and may themselves load libraries.
  static auto& loading = *new std::recursive_mutex;
  std::lock_guard<std::recursive_mutex> lock(loading);

  absl::StatusOr<PrivateCopy> copy = ReadPrivateCopy(path);
  if (!copy.ok()) {
    return absl::Status(copy.status().code(), absl::StrCat(path, ": ", copy.status().message()));
  }
  RegistrationScope scope;  // before the libraries that it needs are opened: they may register, too
  absl::StatusOr<std::unique_ptr<LoadedCopy>> loaded = LoadedCopy::Open(*copy, path);
  if (!loaded.ok()) return loaded.status();
  const LoadedCopy& code = **loaded;
  std::shared_ptr<TargetLibrary> library =
      absl::WrapUnique(new TargetLibrary(path, *std::move(loaded)));
  absl::Status constructed = code.RunConstructors();
  for (const RegisteredTarget& target : WithoutReplaced(scope.targets())) {
    library->targets_.push_back(WithEvidence(target, copy->file, code.load_address()));
  }
  if (!constructed.ok()) {
    return absl::Status(constructed.code(), absl::StrCat(path, ": ", constructed.message()));
  }
  return library;
}

absl::StatusOr<Target> TargetLibrary::Find(absl::string_view name, Platform platform) const {
  for (const LibraryTarget& target : targets_) {
    if (target.registered.name != name || !IsOn(target.registered, platform)) continue;
    Target found;
    found.name = target.registered.name;
    found.platform = platform;
    found.api_version = target.api_version;
    found.api_version_is_proved = target.api_version != ApiVersion::kUnspecified;
    found.address = target.registered.address;
    return found;
  }
  return absl::NotFoundError(absl::StrCat(path_, ": no custom-call target ", name,
                                          " is registered for platform ", PlatformName(platform),
                                          "; registered are: ", DescribeTargets(targets_)));
}

}  // namespace callbridge
