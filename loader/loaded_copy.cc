#include "callbridge/loader/loaded_copy.h"

#include <cxxabi.h>
#include <dlfcn.h>
#include <link.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <exception>
#include <utility>

#include "absl/memory/memory.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "callbridge/loader/dynamic_section.h"
#include "callbridge/loader/missing_parts.h"
#include "callbridge/loader/origin.h"

namespace callbridge {
namespace {

using Constructor = void (*)(int argc, char** argv, char** envp);

// Copies that are loaded now.
std::atomic<uint64_t> loaded_copies{0};

// A quarter of the files that the process may open: the rest is the program's own.
uint64_t MaximumFilesKept() {
  rlimit files = {};
  return getrlimit(RLIMIT_NOFILE, &files) == 0 ? files.rlim_cur / 4 : 0;
}

// A name that no other copy has had: ld.so knows libraries by name, also those that it keeps after
// dlclose(), such as those with STB_GNU_UNIQUE symbols, and the number of a closed file comes
// again.
// "/." and "/" between the parts say nothing to the kernel and count for ld.so.
std::string UniqueName(const FileDescriptor& file) {
  static std::atomic<uint64_t> copies{0};
  // The process's number rather than "self", so that a debugger can follow it.
  std::string name = absl::StrCat("/proc/", getpid(), "/fd");
  for (uint64_t left = ++copies; left != 0; left >>= 1) name += left % 2 == 1 ? "/." : "/";
  return absl::StrCat(name, "/", file.number());
}

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
std::string DescribeLoadFailure(const std::string& name) {
  const char* text = dlerror();
  std::string message = text != nullptr ? text : "dlopen failed";
  absl::StatusOr<MissingParts> missing = FindMissingParts(name);
  if (!missing.ok()) return message;
  const std::string all = DescribeMissingParts(*missing);
  return all.empty() ? message : all;
}

absl::Status LoaderError(const PrivateCopy& copy, const std::string& name,
                         const std::string& path) {
  std::string message = absl::StrReplaceAll(DescribeLoadFailure(name), {{name, path}});
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

LoadedCopy::LoadedCopy(FileDescriptor file, void* handle, uint64_t load_address,
                       const PrivateCopy& copy)
    : file_(std::move(file)),
      keeps_file_(++loaded_copies <= MaximumFilesKept()),
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
  const std::string name = UniqueName(file);
  if (access(name.c_str(), R_OK) != 0) {
    return absl::FailedPreconditionError(
        absl::StrCat(path,
                     ": expected /proc, through which the dynamic loader opens callbridge's "
                     "private copy of the file, but ",
                     name, ": ", std::strerror(errno), "; mount /proc (mount -t proc proc /proc)"));
  }
  void* handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return LoaderError(copy, name, path);
  link_map* map = nullptr;
  dlinfo(handle, RTLD_DI_LINKMAP, &map);
  return absl::WrapUnique(new LoadedCopy(std::move(file), handle, map->l_addr, copy));
}

LoadedCopy::~LoadedCopy() {
  dlclose(handle_);
  --loaded_copies;
}

void* LoadedCopy::Memory(uint64_t address) const {
  return reinterpret_cast<void*>(load_address_ + address);  // NOLINT(performance-no-int-to-ptr)
}

absl::Status LoadedCopy::RunConstructors() {
  absl::Status constructed = CallConstructors();
  if (!keeps_file_) file_ = FileDescriptor(-1);
  return constructed;
}

absl::Status LoadedCopy::CallConstructors() const {
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
