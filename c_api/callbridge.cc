#include "callbridge/c_api/callbridge.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "callbridge/abi/shape_text.h"
#include "callbridge/abi/site_descriptor.h"
#include "callbridge/abi/table_lock.h"
#include "callbridge/abi/typed_site_descriptor.h"
#include "callbridge/adapters/entry_points/entry_points.h"
#include "callbridge/adapters/target_abis.h"
#include "callbridge/c_api/from_c.h"
#include "callbridge/c_api/struct_size.h"
#include "callbridge/c_api/to_c.h"
#include "callbridge/loader/registered_targets.h"
#include "callbridge/loader/target_library.h"
#include "callbridge/mindspore_aot/aot_library.h"
#include "callbridge/mindspore_aot/aot_targets.h"

using callbridge::CallSite;
using callbridge::EntryPoints;
using callbridge::FromC;
using callbridge::KnowsField;
using callbridge::LibraryTarget;
using callbridge::LoadOptions;
using callbridge::Shape;
using callbridge::Target;
using callbridge::TargetLibrary;
using callbridge::ToC;
using callbridge::WithoutExceptions;

struct callbridge_library {
  // Null where it is the process's targets, or an operator's.
  std::shared_ptr<TargetLibrary> library;
  std::vector<LibraryTarget> other_targets;
  std::string other_name;
  // Those that were asked for, by symbol and platform, under the TableLock. Targets borrow their
  // texts.
  mutable std::map<std::pair<std::string, callbridge::Platform>, LibraryTarget> functions = {};

  absl::Span<const LibraryTarget> targets() const {
    return library != nullptr ? library->targets() : other_targets;
  }
  std::string name() const { return library != nullptr ? library->path() : other_name; }
};

const char* callbridge_version() { return CALLBRIDGE_VERSION; }

const char* callbridge_error_code_name(int32_t code) { return callbridge::CodeName(code); }

callbridge_error* callbridge_error_create(int32_t code, const char* message, size_t message_size) {
  callbridge_error* refused = WithoutExceptions(
      [&] { return callbridge::CheckArray("message", message, "message_size", message_size); });
  return refused != nullptr ? refused : callbridge::MakeError(code, {message, message_size});
}

void callbridge_error_destroy(callbridge_error* error) { callbridge::DestroyError(error); }

namespace {

callbridge_error* Load(const char* path, const LoadOptions& options, callbridge_library** library) {
  return WithoutExceptions({{"path", path}, {"library", library}}, [&] {
    if (callbridge::mindspore_aot::NamesAotOperator(path)) {
      absl::StatusOr<std::vector<LibraryTarget>> targets =
          callbridge::mindspore_aot::LoadAotTargets(path, options);
      if (!targets.ok()) return targets.status();
      *library = new callbridge_library{nullptr, *std::move(targets), path};
      return absl::OkStatus();
    }
    absl::StatusOr<std::shared_ptr<TargetLibrary>> loaded = TargetLibrary::Load(path, options);
    if (!loaded.ok()) return loaded.status();
    *library = new callbridge_library{*std::move(loaded), {}, {}};
    return absl::OkStatus();
  });
}

}  // namespace

callbridge_error* callbridge_library_load(const char* path, callbridge_library** library) {
  return Load(path, {}, library);
}

callbridge_error* callbridge_library_load_isolated(const char* path, callbridge_library** library) {
  LoadOptions options;
  options.isolate = true;
  return Load(path, options, library);
}

callbridge_error* callbridge_library_of_process(callbridge_library** library) {
  return WithoutExceptions({{"library", library}}, [&] {
    *library = new callbridge_library{nullptr, callbridge::ProcessTargets(), "the process"};
    return absl::OkStatus();
  });
}

callbridge_error* callbridge_library_close(callbridge_library* library) {
  return WithoutExceptions([&] {
    if (library != nullptr && library->library != nullptr) {
      absl::Status unloaded = TargetLibrary::Unload(library->library);
      if (!unloaded.ok()) return unloaded;
    }
    delete library;
    return absl::OkStatus();
  });
}

size_t callbridge_library_target_count(const callbridge_library* library) {
  return library != nullptr ? library->targets().size() : 0;
}

callbridge_error* callbridge_library_target(const callbridge_library* library, size_t index,
                                            callbridge_target* target) {
  return WithoutExceptions({{"library", library}, {"target", target}}, [&] {
    absl::Span<const LibraryTarget> targets = library->targets();
    if (index >= targets.size()) {
      return absl::OutOfRangeError(absl::StrCat(
          "target index ", index, " is out of range: ", library->name(), " has ", targets.size()));
    }
    return ToC(targets[index], target);
  });
}

callbridge_error* callbridge_library_function(const callbridge_library* library, const char* symbol,
                                              const char* platform, callbridge_target* target) {
  return WithoutExceptions(
      {{"library", library}, {"symbol", symbol}, {"platform", platform}, {"target", target}}, [&] {
        if (library->library == nullptr) {
          return absl::InvalidArgumentError(
              absl::StrCat(library->name(),
                           " is not the file of a library: callbridge_library_function finds "
                           "functions in what callbridge_library_load opened by its path"));
        }
        const absl::StatusOr<callbridge::Platform> known = callbridge::ParsePlatform(platform);
        if (!known.ok()) return known.status();
        absl::StatusOr<LibraryTarget> found = library->library->Function(symbol, *known);
        if (!found.ok()) return found.status();
        const callbridge::TableLock lock;
        const auto kept = library->functions.emplace(std::make_pair(symbol, *known), *found);
        return ToC(kept.first->second, target);
      });
}

size_t callbridge_target_abi_count() { return callbridge::TargetAbis().size(); }

callbridge_error* callbridge_target_abi_at(size_t index, const char* platform,
                                           callbridge_target_abi* abi) {
  return WithoutExceptions({{"platform", platform}, {"abi", abi}}, [&] {
    const size_t count = callbridge::TargetAbis().size();
    if (index >= count) {
      return absl::OutOfRangeError(
          absl::StrCat("target ABI index ", index, " is out of range: there are ", count));
    }
    absl::StatusOr<callbridge::Platform> known = callbridge::ParsePlatform(platform);
    if (!known.ok()) return known.status();
    return ToC(*callbridge::TargetAbis()[index], *known, abi);
  });
}

callbridge_error* callbridge_shape_visit(const char* shape, callbridge_shape_visitor* visit,
                                         void* user) {
  return WithoutExceptions({{"shape", shape}, {"visit", visit}}, [&] {
    absl::StatusOr<Shape> parsed = callbridge::ParseShape(shape);
    return parsed.ok() ? callbridge::VisitShape(*parsed, visit, user) : parsed.status();
  });
}

callbridge_error* callbridge_site_encode(const callbridge_site* site, char** bytes, size_t* size) {
  return WithoutExceptions({{"site", site}, {"bytes", bytes}, {"size", size}}, [&] {
    absl::StatusOr<CallSite> call_site = FromC(*site);
    if (!call_site.ok()) return call_site.status();
    const bool is_typed = KnowsField(*site, site->attributes) && site->attributes != nullptr;
    if (!is_typed && call_site->scratch_bytes != 0) {
      return absl::InvalidArgumentError(
          "callbridge_site.scratch_bytes is set, but untyped targets ask for no scratch memory; "
          "a typed target's site has attributes, which may be empty");
    }
    const absl::StatusOr<std::string> encoded =
        is_typed ? callbridge::EncodeTypedSiteDescriptor(*call_site)
                 : callbridge::EncodeSiteDescriptor(*call_site);
    if (!encoded.ok()) return encoded.status();
    *bytes = new char[encoded->size()];
    std::copy(encoded->begin(), encoded->end(), *bytes);
    *size = encoded->size();
    return absl::OkStatus();
  });
}

void callbridge_bytes_free(char* bytes) { delete[] bytes; }

callbridge_error* callbridge_target_entry_points(const callbridge_target* target,
                                                 callbridge_entry_points* entry_points) {
  return WithoutExceptions({{"target", target}, {"entry_points", entry_points}}, [&] {
    absl::StatusOr<Target> known = FromC(*target);
    if (!known.ok()) return known.status();
    absl::StatusOr<EntryPoints> points = callbridge::GetEntryPoints(*known);
    if (!points.ok()) return points.status();
    return ToC(*points, entry_points);
  });
}
