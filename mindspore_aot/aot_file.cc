#include "callbridge/mindspore_aot/aot_file.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "callbridge/abi/table_lock.h"
#include "callbridge/loader/content_digest.h"
#include "callbridge/loader/elf_sections.h"
#include "callbridge/loader/files.h"
#include "callbridge/loader/loaded_file.h"
#include "callbridge/loader/symbol_findings.h"
#include "callbridge/mindspore_aot/aot_source.h"

namespace callbridge {
namespace mindspore_aot {
namespace {

bool HasOldString(const std::string& bytes) {
  SymbolFindings findings;
  const ElfHandle elf = OpenElf(bytes);
  VisitSymbols(elf.get(), [&](const FileSymbol& symbol) {
    AddSymbol(symbol, /*is_object_file=*/false, findings);
  });
  return StringAbiOf(findings.undefined) != StringAbi::kNew;
}

absl::Status WithPath(const std::string& path, const absl::Status& status) {
  return absl::Status(status.code(), absl::StrCat(path, ": ", status.message()));
}

// The files that are open. Thread-safe.
class OpenFiles {
 public:
  static OpenFiles& Global() {
    const TableLock lock;
    static auto& files = *new OpenFiles;
    return files;
  }

  // Returns the file, if it has not been written to since it was added.
  std::optional<AotFile> FindUntouched(const FileState& state) {
    const TableLock lock;
    for (const Entry& entry : entries_) {
      if (!state.IsSurelyAsIn(entry.state)) continue;
      if (std::optional<AotFile> file = entry.Open()) return file;
    }
    return std::nullopt;
  }

  // Returns the file, if its content is that one.
  std::optional<AotFile> Find(const FileState& state, const std::string& content) {
    const TableLock lock;
    for (Entry& entry : entries_) {
      if (entry.content != content || !state.IsSameFileAs(entry.state)) continue;
      std::optional<AotFile> file = entry.Open();
      if (!file.has_value()) continue;
      entry.state = state;
      return file;
    }
    return std::nullopt;
  }

  void Add(const FileState& state, const AotFile& file) {
    const TableLock lock;
    entries_.erase(std::remove_if(entries_.begin(), entries_.end(),
                                  [](const Entry& entry) { return entry.library.expired(); }),
                   entries_.end());
    entries_.push_back({state, file.library, file.content, file.has_old_string});
  }

 private:
  struct Entry {
    std::optional<AotFile> Open() const {
      AotFile file{library.lock(), content, has_old_string};
      return file.library != nullptr ? std::make_optional(std::move(file)) : std::nullopt;
    }

    FileState state;
    std::weak_ptr<TargetLibrary> library;
    std::string content;
    bool has_old_string;
  };

  std::vector<Entry> entries_;  // under the TableLock
};

// Returns the bytes of a library, and writes its content if that is not known yet.
absl::StatusOr<std::string> Read(const std::string& path, std::string& content) {
  absl::StatusOr<std::string> bytes = ReadRegularFile(path);
  if (!bytes.ok()) return WithPath(path, bytes.status());
  if (content.empty()) content = ContentDigest(*bytes);
  return bytes;
}

}  // namespace

absl::StatusOr<AotFile> OpenAotFile(const std::string& path, const LoadOptions& options) {
  std::string library_path = path;
  std::string content;
  const bool is_source = IsSource(path);
  if (is_source) {
    absl::StatusOr<CompiledSource> compiled = CompileSource(path);
    if (!compiled.ok()) return compiled.status();
    std::tie(library_path, content) = std::tie(compiled->library, compiled->content);
  }
  const LoadingLock lock;
  // Before the file is read: what is written to it later makes it another one.
  const std::optional<FileState> state = FileState::Of(path);
  std::optional<AotFile> known;
  if (state.has_value() && !is_source) known = OpenFiles::Global().FindUntouched(*state);
  if (known.has_value()) return *std::move(known);
  absl::StatusOr<std::string> bytes = Read(library_path, content);
  if (!bytes.ok()) return bytes.status();
  if (state.has_value()) known = OpenFiles::Global().Find(*state, content);
  if (known.has_value()) return *std::move(known);

  AotFile file;
  file.content = std::move(content);
  file.has_old_string = HasOldString(*bytes);
  absl::StatusOr<std::shared_ptr<TargetLibrary>> library =
      TargetLibrary::LoadBytes(library_path, *std::move(bytes), options);
  if (!library.ok()) return library.status();
  file.library = *std::move(library);
  if (state.has_value()) OpenFiles::Global().Add(*state, file);
  return file;
}

}  // namespace mindspore_aot
}  // namespace callbridge
