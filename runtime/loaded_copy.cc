#include "callbridge/runtime/loaded_copy.h"

#include <cxxabi.h>
#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <exception>
#include <utility>

#include "absl/memory/memory.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "callbridge/runtime/dynamic_section.h"
#include "callbridge/runtime/missing_parts.h"
#include "callbridge/runtime/origin.h"

namespace callbridge {
namespace {

using Constructor = void (*)(int argc, char** argv, char** envp);

// ld.so hands them the program's arguments; here they get its name alone.
void Call(Constructor constructor) {
  char* argv[] = {program_invocation_name, nullptr};
  constructor(1, argv, environ);
}

// Whether ld.so looks for libraries beside the copy, which has no folder.
bool SearchesOrigin(const ElfFile& file) {
  absl::StatusOr<DynamicSection> dynamic = DynamicSection::Parse(file);
  if (!dynamic.ok()) return false;
  for (const Elf64_Dyn& entry : dynamic->entries()) {
    if (entry.d_tag != DT_RUNPATH && entry.d_tag != DT_RPATH && entry.d_tag != DT_NEEDED) continue;
    absl::StatusOr<absl::string_view> text = dynamic->String(entry.d_un.d_val, "path");
    if (text.ok() && HasOrigin(*text)) return true;
  }
  return false;
}

// All that is missing, or else what dlopen() said of the first thing that was wrong.
std::string WhatIsWrong(const std::string& name) {
  const char* text = dlerror();
  std::string message = text != nullptr ? text : "dlopen failed";
  absl::StatusOr<MissingParts> missing = FindMissingParts(name);
  if (!missing.ok()) return message;
  const std::string all = DescribeMissingParts(*missing);
  return all.empty() ? message : all;
}

absl::Status LoaderError(const PrivateCopy& copy, const std::string& name,
                         const std::string& path) {
  std::string message = absl::StrReplaceAll(WhatIsWrong(name), {{name, path}});
  if (!absl::StartsWith(message, path)) message = absl::StrCat(path, ": ", message);
  if (!copy.dropped_libraries.empty()) {
    absl::StrAppend(
        &message, " (it was linked with ", absl::StrJoin(copy.dropped_libraries, ", "),
        ", of which callbridge serves the custom-call functions and xla::ShapeProto only)");
  }
  if (SearchesOrigin(copy.file)) {
    absl::StrAppend(
        &message,
        " (its $ORIGIN is not searched, since its folder's name has a ':' or '$' in it: add "
        "the folder to LD_LIBRARY_PATH)");
  }
  return absl::FailedPreconditionError(message);
}

}  // namespace

LoadedCopy::LoadedCopy(FileDescriptor file, std::string name, void* handle, uint64_t load_address,
                       const PrivateCopy& copy)
    : file_(std::move(file)),
      name_(std::move(name)),
      handle_(handle),
      load_address_(load_address),
      constructors_(copy.constructors) {
  for (const Elf64_Phdr& segment : copy.file.segments()) {
    if (segment.p_type != PT_LOAD) continue;
    begin_ = std::min(begin_, load_address + segment.p_vaddr);
    end_ = std::max(end_, load_address + segment.p_vaddr + segment.p_memsz);
  }
}

absl::StatusOr<std::unique_ptr<LoadedCopy>> LoadedCopy::Open(const PrivateCopy& copy,
                                                             FileDescriptor file,
                                                             const std::string& path) {
  // The process's number rather than "self", so that a debugger can follow it.
  std::string name = absl::StrCat("/proc/", getpid(), "/fd/", file.number());
  void* handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return LoaderError(copy, name, path);
  link_map* map = nullptr;
  dlinfo(handle, RTLD_DI_LINKMAP, &map);
  return absl::WrapUnique(
      new LoadedCopy(std::move(file), std::move(name), handle, map->l_addr, copy));
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
