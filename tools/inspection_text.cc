#include "callbridge/tools/inspection_text.h"

#include <algorithm>
#include <map>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"

namespace callbridge {
namespace {

// The rest is counted; --json shows all.
constexpr size_t kMaximumShown = 60;

// A name may hold any bytes. Escapes line feeds, so that a part does not look like a line of its
// own.
std::string Printable(absl::string_view text) {
  std::string printable;
  for (const char& c : text) {
    const absl::string_view one(&c, 1);
    absl::StrAppend(&printable, absl::ascii_iscntrl(c) ? absl::CHexEscape(one) : std::string(one));
  }
  return printable;
}

// Lines under one heading: "  needs       libm.so.6 => /lib/...".
class Paragraph {
 public:
  explicit Paragraph(std::string* text) : text_(text) {}

  void Add(absl::string_view heading, const std::vector<std::string>& lines) {
    for (size_t i = 0; i < lines.size(); ++i) {
      absl::StrAppendFormat(text_, "  %-10s  %s\n", i == 0 ? heading : "", Printable(lines[i]));
    }
  }

  void AddSome(absl::string_view heading, std::vector<std::string> lines) {
    if (lines.size() > kMaximumShown) {
      const size_t rest = lines.size() - kMaximumShown;
      lines.resize(kMaximumShown);
      lines.push_back(absl::StrCat("and ", rest, " more (--json shows them)"));
    }
    Add(heading, lines);
  }

 private:
  std::string* text_;
};

std::vector<std::string> NeedsTexts(const Inspection& inspection) {
  std::map<absl::string_view, absl::string_view> found;
  for (const NeededLibrary& library : inspection.loader.libraries) {
    found[library.name] = library.path;
  }
  std::vector<std::string> texts;
  for (const std::string& name : inspection.needed) {
    const auto place = found.find(name);
    absl::string_view path = place != found.end() ? place->second : "";
    if (IsReplaced(inspection, name)) path = "not needed: callbridge replaces it";
    if (path.empty()) path = inspection.loader.libraries.empty() ? "" : "not found";
    texts.push_back(path.empty() || path == name ? name : absl::StrCat(name, " => ", path));
  }
  // Libraries that these need are shown if they are missing.
  for (const NeededLibrary& library : inspection.loader.libraries) {
    const bool is_direct = std::find(inspection.needed.begin(), inspection.needed.end(),
                                     library.name) != inspection.needed.end();
    if (!is_direct && library.path.empty()) {
      texts.push_back(absl::StrCat(library.name, " => not found (needed by those)"));
    }
  }
  for (const std::string& version : inspection.loader.missing_versions) texts.push_back(version);
  return texts;
}

std::vector<std::string> UnresolvedTexts(const Inspection& inspection, Provider provider) {
  std::vector<std::string> texts;
  for (const UnresolvedSymbol& symbol : inspection.unresolved) {
    if (symbol.provider == provider) texts.push_back(symbol.name);
  }
  return texts;
}

std::vector<std::string> PlaceTexts(const Inspection& inspection,
                                    const std::map<std::string, Place>& places) {
  const std::vector<std::string> served = UnresolvedTexts(inspection, Provider::kCallbridge);
  std::vector<std::string> texts;
  for (const auto& [name, place] : places) {
    const bool is_served = std::find(served.begin(), served.end(), name) != served.end();
    texts.push_back(
        absl::StrCat(name, ": ", PlaceName(place), is_served ? ", provided by callbridge" : ""));
  }
  return texts;
}

std::vector<std::string> FunctionTexts(const Inspection& inspection) {
  std::vector<std::string> texts;
  for (const auto& [key, function] : inspection.symbols.functions) {
    texts.push_back(absl::StrFormat("%s at %#x%s: %s", function.name, function.address,
                                    function.is_exported ? ", exported" : "", AbiText(function)));
  }
  return texts;
}

std::string ProtobufText(const Inspection& inspection) {
  const std::string layout = absl::StrCat("it uses XLA's messages, with the object layout of ",
                                          inspection.protobuf.protobuf());
  if (!inspection.protobuf.IsServed()) {
    return absl::StrCat(layout, "; callbridge has only that of protobuf 3.21");
  }
  if (!inspection.protobuf_error.empty()) {
    return absl::StrCat(layout, ", but ", inspection.protobuf_error);
  }
  return absl::StrCat(layout, ", which callbridge provides");
}

// Explains why functions, or their types, cannot be seen.
std::string BlindSpot(const Inspection& inspection) {
  if (!inspection.symbols.has_static_symbols) {
    return "stripped: static functions have no names here, so their ABIs are not visible; declare "
           "them (abi=, --abi)";
  }
  return "";
}

std::vector<std::string> UntypedTexts(const Inspection& inspection) {
  const std::vector<UntypedFunction> functions = PossibleHandlers(inspection);
  std::vector<std::string> names;
  names.reserve(functions.size());
  for (const UntypedFunction& function : functions) names.push_back(function.name);
  return names;
}

std::vector<std::string> ProbeTexts(const std::vector<ProbedFunction>& probed) {
  std::vector<std::string> texts;
  texts.reserve(probed.size());
  for (const ProbedFunction& function : probed) {
    texts.push_back(absl::StrCat(function.symbol, ": ", TypedVerdictName(function.answer.verdict),
                                 " (", function.answer.evidence, ")"));
  }
  return texts;
}

// Returns "CustomAdd, with CustomAddInit and CustomAddInferShape".
std::string OperatorText(const InspectedOperator& found) {
  std::vector<std::string> companions;
  if (found.has_init) companions.push_back(absl::StrCat(found.function, "Init"));
  if (found.has_infer_shape) companions.push_back(absl::StrCat(found.function, "InferShape"));
  return companions.empty()
             ? found.function
             : absl::StrCat(found.function, ", with ", absl::StrJoin(companions, " and "));
}

std::vector<std::string> OperatorTexts(const std::vector<InspectedOperator>& operators) {
  std::vector<std::string> texts;
  texts.reserve(operators.size());
  for (const InspectedOperator& found : operators) texts.push_back(OperatorText(found));
  return texts;
}

void AppendFile(const InspectedFile& file, std::string* text) {
  const Inspection& inspection = file.inspection;
  const SymbolFindings& symbols = inspection.symbols;
  absl::StrAppend(text, Printable(inspection.path), ": ", FileKindName(inspection.kind),
                  IsForeign(inspection) ? absl::StrCat(" for ", inspection.machine->name) : "",
                  "\n");
  Paragraph paragraph(text);
  paragraph.Add("needs", NeedsTexts(inspection));
  paragraph.AddSome("missing", UnresolvedTexts(inspection, Provider::kNone));
  const size_t pythons = UnresolvedTexts(inspection, Provider::kPython).size();
  if (pythons != 0) paragraph.Add("python", {absl::StrCat(pythons, " symbols of the interpreter")});
  for (const std::string& module : symbols.python_modules) {
    paragraph.Add("module", {absl::StrCat("import ", module,
                                          inspection.has_capsule_name
                                              ? ", which passes custom calls to Python in capsules"
                                              : "")});
  }
  if (const std::string strings = StringAbiText(inspection.string_abi); !strings.empty()) {
    paragraph.Add("strings", {strings});
  }
  if (inspection.protobuf.is_used()) paragraph.Add("protobuf", {ProtobufText(inspection)});
  paragraph.Add("gpu", GpuTexts(inspection));
  paragraph.Add("registry", PlaceTexts(inspection, symbols.registry));
  paragraph.Add("status", PlaceTexts(inspection, symbols.status));
  paragraph.AddSome("functions", FunctionTexts(inspection));
  if (const std::string blind = BlindSpot(inspection); !blind.empty()) {
    paragraph.Add("note", {blind});
  }
  paragraph.AddSome("operators", OperatorTexts(file.operators));
  if (file.probed.empty()) {
    const std::vector<std::string> untyped = UntypedTexts(inspection);
    if (!untyped.empty()) {
      paragraph.AddSome("untyped", untyped);
      paragraph.Add("note",
                    {"it refers to XLA's FFI: these may be typed handlers; --probe finds out"});
    }
  } else {
    paragraph.Add("probe", ProbeTexts(file.probed));
  }
  paragraph.Add("verdict", {file.verdict.text});
  paragraph.Add("next", file.verdict.next);
}

}  // namespace

std::string StringAbiText(StringAbi abi) {
  switch (abi) {
    case StringAbi::kNotSeen:
      return "";
    case StringAbi::kNew:
      return "libstdc++'s new string ABI (std::__cxx11)";
    case StringAbi::kOld:
      return "libstdc++'s old string ABI (_GLIBCXX_USE_CXX11_ABI=0)";
    case StringAbi::kBoth:
      return "both of libstdc++'s string ABIs";
  }
  return "";
}

std::string TextOf(const std::vector<InspectedFile>& files) {
  std::string text;
  for (const InspectedFile& file : files) {
    if (!text.empty()) text.push_back('\n');
    AppendFile(file, &text);
  }
  return text;
}

}  // namespace callbridge
