#include "callbridge/runtime/loaded_copy.h"

#include <cxxabi.h>
#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <cerrno>
#include <exception>
#include <utility>

#include "absl/memory/memory.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "callbridge/runtime/code_file.h"
#include "callbridge/runtime/dynamic_section.h"

namespace callbridge {
namespace {

using Constructor = void (*)(int argc, char** argv, char** envp);

// ld.so hands them the program's arguments; here they get its name alone.
void Call(Constructor constructor) {
  char* argv[] = {program_invocation_name, nullptr};
  constructor(1, argv, environ);
}

// Whether the file looks for libraries beside itself, which is in vain for a copy without a folder.
bool SearchesBesideItself(const ElfFile& file) {
  absl::StatusOr<DynamicSection> dynamic = DynamicSection::Parse(file);
  if (!dynamic.ok()) return false;
  for (const Elf64_Dyn& entry : dynamic->entries()) {
    if (entry.d_tag != DT_RUNPATH && entry.d_tag != DT_RPATH && entry.d_tag != DT_NEEDED) continue;
    absl::StatusOr<absl::string_view> text = dynamic->String(entry.d_un.d_val, "DT_RUNPATH");
    if (text.ok() &&
        (absl::StrContains(*text, "$ORIGIN") || absl::StrContains(*text, "${ORIGIN}"))) {
      return true;
    }
  }
  return false;
}

absl::Status LoaderError(const PrivateCopy& copy, const std::string& name,
                         const std::string& path) {
  const char* text = dlerror();
  std::string message =
      absl::StrReplaceAll(text != nullptr ? text : "dlopen failed", {{name, path}});
  if (!absl::StartsWith(message, path)) message = absl::StrCat(path, ": ", message);
  if (!copy.dropped_libraries.empty()) {
    absl::StrAppend(&message, " (it was linked with ", absl::StrJoin(copy.dropped_libraries, ", "),
                    ", of which callbridge serves the custom-call functions only)");
  }
  if (SearchesBesideItself(copy.file)) {
    absl::StrAppend(&message, " (its $ORIGIN is not searched: add that folder to LD_LIBRARY_PATH)");
  }
  return absl::FailedPreconditionError(message);
}

}  // namespace

absl::StatusOr<std::unique_ptr<LoadedCopy>> LoadedCopy::Open(const PrivateCopy& copy,
                                                             const std::string& path) {
  absl::StatusOr<FileDescriptor> file = WriteCodeFile(copy.file.bytes());
  if (!file.ok()) {
    return absl::Status(file.status().code(), absl::StrCat(path, ": ", file.status().message()));
  }
  // The process's number rather than "self", so that a debugger can follow it.
  std::string name = absl::StrCat("/proc/", getpid(), "/fd/", file->number());
  void* handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return LoaderError(copy, name, path);
  link_map* map = nullptr;
  dlinfo(handle, RTLD_DI_LINKMAP, &map);
  return absl::WrapUnique(
      new LoadedCopy(*std::move(file), std::move(name), handle, map->l_addr, copy.constructors));
}

LoadedCopy::~LoadedCopy() {
  dlclose(handle_);
  // ld.so keeps some libraries for good, such as those with STB_GNU_UNIQUE symbols, and knows
  // libraries by name: with the number in use again, the next copy of that name would be taken for
  // this one.
  if (void* still_loaded = dlopen(name_.c_str(), RTLD_NOLOAD | RTLD_LAZY)) {
    dlclose(still_loaded);
    file_.Release();
  }
}

void* LoadedCopy::Memory(uint64_t address) const {
  return reinterpret_cast<void*>(load_address_ + address);  // NOLINT(performance-no-int-to-ptr)
}

absl::Status LoadedCopy::RunConstructors() const {
  try {
    if (constructors_.init_function != 0) {
      Call(reinterpret_cast<Constructor>(Memory(constructors_.init_function)));
    }
    const auto* array = static_cast<const Constructor*>(Memory(constructors_.init_array));
    for (uint64_t i = 0; i < constructors_.init_array_count; ++i) Call(array[i]);
  } catch (abi::__forced_unwind&) {  // the thread is being cancelled; this must not be swallowed
    throw;
  } catch (const std::exception& exception) {
    return absl::InternalError(absl::StrCat("a constructor threw: ", exception.what()));
  } catch (...) {
    return absl::InternalError("a constructor threw what is no std::exception");
  }
  return absl::OkStatus();
}

}  // namespace callbridge
