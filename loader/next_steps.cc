#include "callbridge/loader/next_steps.h"

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "callbridge/adapters/target_abis.h"

namespace callbridge {
namespace {

// Quotes the text with '...', which a shell and Python both read back.
std::string Quoted(absl::string_view text) {
  return absl::StrCat("'", absl::StrReplaceAll(text, {{"\\", "\\\\"}, {"'", "\\'"}}), "'");
}

std::string ShellWord(absl::string_view text) {
  const bool is_plain = std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return absl::ascii_isalnum(c) ||
           absl::string_view("/._-+:").find(static_cast<char>(c)) != absl::string_view::npos;
  });
  return is_plain ? std::string(text)
                  : absl::StrCat("'", absl::StrReplaceAll(text, {{"'", "'\\''"}}), "'");
}

bool IsForGpu(const CustomCallFunction& function) {
  return function.on_host == ApiVersion::kUnspecified;
}

std::string RegisterLine(absl::string_view name, absl::string_view function, bool is_gpu,
                         ApiVersion abi) {
  return absl::StrCat(
      "callbridge.jax.register(", name, ", ", function, is_gpu ? ", platform='CUDA'" : "",
      ", abi=", abi == ApiVersion::kUnspecified ? "..." : Quoted(ApiVersionName(abi)), ")");
}

// Returns the line for all capsules of a module, with the ABI if all functions have the same one.
std::string RegisterCapsulesLine(const Inspection& inspection) {
  const auto& functions = inspection.symbols.functions;
  const bool is_gpu = std::any_of(functions.begin(), functions.end(),
                                  [](const auto& entry) { return IsForGpu(entry.second); });
  std::set<ApiVersion> abis;
  for (const auto& [key, function] : functions) {
    abis.insert(is_gpu ? function.on_gpu : function.on_host);
  }
  return RegisterLine("name", "capsule", is_gpu,
                      abis.size() == 1 ? *abis.begin() : ApiVersion::kUnspecified);
}

std::string LoadedByCtypes(const Inspection& inspection, absl::string_view symbol) {
  return absl::StrCat("ctypes.CDLL(", Quoted(inspection.path), ")[", Quoted(symbol), "]");
}

std::string TypedLine(const Inspection& inspection, absl::string_view symbol) {
  return absl::StrCat("jax.ffi.register_ffi_target('NAME', jax.ffi.pycapsule(",
                      LoadedByCtypes(inspection, symbol),
                      "))  # in Python: a typed handler, under a name of your choice");
}

std::string UntypedLine(const Inspection& inspection, const CustomCallFunction& function) {
  const bool is_gpu = IsForGpu(function);
  return absl::StrCat(RegisterLine("'NAME'", LoadedByCtypes(inspection, function.symbol), is_gpu,
                                   is_gpu ? function.on_gpu : function.on_host),
                      "  # in Python: one function, under a name of your choice");
}

}  // namespace

std::vector<std::string> NextForLibrary(const Inspection& inspection) {
  return {absl::StrCat("callbridge run ", ShellWord(inspection.path),
                       "  # lists its targets; loading it runs its constructors"),
          absl::StrCat("callbridge.jax.load(", Quoted(inspection.path),
                       ")  # in Python: registers its targets with JAX")};
}

std::vector<std::string> NextForFunctions(const Inspection& inspection,
                                          const std::vector<std::string>& typed) {
  std::string untyped_line;
  std::string typed_line = typed.empty() ? "" : TypedLine(inspection, typed.front());
  for (const auto& [key, function] : inspection.symbols.functions) {
    if (!function.is_exported) continue;
    if (function.on_host == ApiVersion::kTypedFfi) {
      if (typed_line.empty()) typed_line = TypedLine(inspection, function.symbol);
    } else if (untyped_line.empty()) {
      untyped_line = UntypedLine(inspection, function);
    }
  }
  std::vector<std::string> next;
  for (std::string& line : {std::ref(untyped_line), std::ref(typed_line)}) {
    if (!line.empty()) next.push_back(std::move(line));
  }
  return next;
}

std::vector<std::string> NextForModule(const Inspection& inspection) {
  const std::string& module = *inspection.symbols.python_modules.begin();
  return {absl::StrCat("import ", module, "  # in Python, from its package"),
          absl::StrCat("for name, capsule in ", module,
                       ".registrations().items(): ", RegisterCapsulesLine(inspection),
                       "  # or by the functions that return its capsules")};
}

std::vector<std::string> NextForObjects(const Inspection& inspection) {
  absl::string_view stem = inspection.path;
  stem.remove_prefix(stem.rfind('/') + 1);  // npos + 1 is 0
  stem = stem.substr(0, stem.rfind('.'));
  const std::string library = ShellWord(absl::StrCat(stem, ".so"));
  const std::string file = ShellWord(inspection.path);
  const std::string linked =
      inspection.kind == FileKind::kArchive
          ? absl::StrCat("-Wl,--whole-archive ", file, " -Wl,--no-whole-archive")
          : file;
  return {absl::StrCat("g++ -shared -o ", library, " ", linked),
          absl::StrCat("callbridge inspect ", library)};
}

std::vector<std::string> NextForOperator(absl::string_view name, bool infers) {
  return {absl::StrCat("callbridge run ", ShellWord(name), " x.npy",
                       infers ? "" : " --result SHAPE", "  # calls it on .npy files"),
          absl::StrCat("callbridge.jax.custom_call(", Quoted(name), infers ? "" : ", RESULT",
                       ")  # in Python: a function for JAX")};
}

std::vector<std::string> NextForUntypedFunctions(const Inspection& inspection) {
  const std::string& name = inspection.symbols.untyped_functions.begin()->first;
  return {absl::StrCat(RegisterLine("'NAME'", LoadedByCtypes(inspection, name), /*is_gpu=*/false,
                                    ApiVersion::kOriginal),
                       "  # in Python, if it is void(void* out, const void** in)")};
}

std::vector<std::string> NextForPossibleHandlers(const Inspection& inspection) {
  return {absl::StrCat("callbridge inspect --probe ", ShellWord(inspection.path),
                       "  # asks them, in a separate process")};
}

}  // namespace callbridge
