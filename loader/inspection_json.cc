#include "callbridge/loader/inspection_json.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "callbridge/adapters/target_abis.h"
#include "callbridge/loader/inspection.h"
#include "callbridge/loader/typed_probe.h"
#include "callbridge/loader/verdict.h"
#include "callbridge/typed_ffi/c_api.h"
#include "callbridge/typed_ffi/runtime_versions.h"
#include "nlohmann/json.hpp"

namespace callbridge {
namespace {

using Json = nlohmann::ordered_json;
using typed_ffi::RuntimeVersion;

Json NeedsJson(const Inspection& inspection) {
  Json list = Json::array();
  for (const NeededLibrary& library : inspection.loader.libraries) {
    Json path = library.path.empty() ? Json(nullptr) : Json(library.path);
    list.push_back({{"name", library.name},
                    {"path", path},
                    {"replaced_by_callbridge", IsReplaced(inspection, library.name)}});
  }
  return list;
}

Json UnresolvedJson(const Inspection& inspection) {
  Json list = Json::array();
  for (const UnresolvedSymbol& symbol : inspection.unresolved) {
    list.push_back({{"symbol", symbol.symbol},
                    {"name", symbol.name},
                    {"provider", std::string(ProviderName(symbol.provider))}});
  }
  return list;
}

Json PlacesJson(const std::map<std::string, Place>& places) {
  Json list = Json::array();
  for (const auto& [name, place] : places) {
    list.push_back({{"name", name}, {"place", std::string(PlaceName(place))}});
  }
  return list;
}

Json AbiJson(ApiVersion version) {
  if (version == ApiVersion::kUnspecified) return nullptr;
  return std::string(ApiVersionName(version));
}

Json FunctionsJson(const Inspection& inspection) {
  Json list = Json::array();
  for (const auto& [key, function] : inspection.symbols.functions) {
    list.push_back(
        {{"symbol", function.symbol},
         {"name", function.name},
         {"address", function.address},
         {"exported", function.is_exported},
         {"abi", {{"Host", AbiJson(function.on_host)}, {"gpu", AbiJson(function.on_gpu)}}}});
  }
  return list;
}

Json UntypedJson(const Inspection& inspection) {
  Json list = Json::array();
  for (const auto& [name, function] : inspection.symbols.untyped_functions) {
    list.push_back({{"symbol", name}, {"address", function.address}});
  }
  return list;
}

// Describes the protobuf layout of code that uses XLA's messages.
Json ProtobufJson(const Inspection& inspection) {
  if (!inspection.protobuf.is_used()) return nullptr;
  return {{"layout", std::string(inspection.protobuf.protobuf())},
          {"served", inspection.protobuf.IsServed() && inspection.protobuf_error.empty()}};
}

Json TextJson(absl::string_view text) { return text.empty() ? Json(nullptr) : Json(text); }

Json KnownJson(std::optional<bool> known) {
  return known.has_value() ? Json(*known) : Json(nullptr);
}

Json ProbedJson(const std::vector<ProbedFunction>& probed) {
  Json list = Json::array();
  for (const ProbedFunction& function : probed) {
    const TypedAnswer& answer = function.answer;
    const bool is_oldest = answer.evidence_kind == TypedEvidence::kOldestApiTable;
    list.push_back({{"symbol", function.symbol},
                    {"has_symbol", function.has_symbol},
                    {"verdict", std::string(TypedVerdictName(answer.verdict))},
                    {"evidence", answer.evidence},
                    {"evidence_kind", TextJson(TypedEvidenceName(answer.evidence_kind))},
                    {"api_version", TextJson(answer.api_version)},
                    {"headers", TextJson(is_oldest ? typed_ffi::kOldestVersion.releases : "")},
                    {"adapts", KnownJson(answer.adapts)},
                    {"makes_state", KnownJson(answer.makes_state)}});
  }
  return list;
}

// The XLA FFI headers that the file's bytes tell.
Json TypedHeadersJson(const RuntimeVersion* headers) {
  if (headers == nullptr) return nullptr;
  return {{"api_version", absl::StrCat(XLA_FFI_API_MAJOR, ".", static_cast<int>(headers->minor))},
          {"headers", headers->releases}};
}

Json OperatorsJson(const std::vector<InspectedOperator>& operators) {
  Json list = Json::array();
  for (const InspectedOperator& found : operators) {
    list.push_back({{"function", found.function},
                    {"has_init", found.has_init},
                    {"has_infer_shape", found.has_infer_shape}});
  }
  return list;
}

Json FileJson(const InspectedFile& file) {
  const Inspection& inspection = file.inspection;
  const SymbolFindings& symbols = inspection.symbols;
  Json json;
  json["file"] = inspection.path;
  json["kind"] = std::string(FileKindName(inspection.kind));
  json["machine"] = inspection.machine == nullptr ? Json(nullptr) : Json(inspection.machine->name);
  json["needed"] = inspection.needed;
  json["libraries"] = NeedsJson(inspection);
  json["missing_versions"] = inspection.loader.missing_versions;
  json["unresolved"] = UnresolvedJson(inspection);
  json["refusal"] = inspection.refusal.empty() ? Json(nullptr) : Json(inspection.refusal);
  json["string_abi"] = std::string(StringAbiName(inspection.string_abi));
  json["protobuf"] = ProtobufJson(inspection);
  json["gpu"] = GpuTexts(inspection);
  json["gpu_architectures"] = inspection.gpu_architectures;
  json["python_modules"] = symbols.python_modules;
  json["has_capsules"] = inspection.has_capsule_name;
  json["registry"] = PlacesJson(symbols.registry);
  json["status"] = PlacesJson(symbols.status);
  json["stripped"] = !symbols.has_static_symbols;
  json["functions"] = FunctionsJson(inspection);
  json["untyped_functions"] = UntypedJson(inspection);
  json["mentions_typed_ffi"] = inspection.mentions_typed_ffi;
  json["contains_xla"] = inspection.contains_xla;
  json["typed_headers"] = TypedHeadersJson(inspection.typed_headers);
  json["operators"] = OperatorsJson(file.operators);
  json["probed"] = ProbedJson(file.probed);
  json["not_asked"] = file.not_asked;
  json["verdict"] = {{"outcome", std::string(OutcomeName(file.verdict.outcome))},
                     {"text", file.verdict.text},
                     {"next", file.verdict.next}};
  return json;
}

// Names may hold any bytes; JSON is UTF-8.
std::string TextOf(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// Whether a runtime of one row registers handlers with the headers of another.
bool Registers(const RuntimeVersion& row, const RuntimeVersion& headers) {
  if (&headers == &row) return true;
  return row.metadata_size != 0 && headers.metadata_size != 0 &&
         typed_ffi::AcceptsHandlers(row, XLA_FFI_API_MAJOR, headers.minor);
}

}  // namespace

std::string JsonOfFile(const InspectedFile& file) { return TextOf(FileJson(file)); }

std::string JsonOf(const std::vector<InspectedFile>& files) {
  Json list = Json::array();
  for (const InspectedFile& file : files) list.push_back(FileJson(file));
  return TextOf(list) + "\n";
}

std::string RuntimeVersionsJson() {
  Json rows = Json::array();
  for (const RuntimeVersion& row : typed_ffi::kRuntimeVersions) {
    Json accepts = Json::array();
    Json keeps_state = Json::array();
    for (const RuntimeVersion& headers : typed_ffi::kRuntimeVersions) {
      accepts.push_back(Registers(row, headers));
      keeps_state.push_back(Registers(row, headers) && headers.state == row.state);
    }
    rows.push_back({{"minor", row.minor},
                    {"releases", row.releases},
                    {"has_metadata", row.metadata_size != 0},
                    {"accepts", accepts},
                    {"keeps_state", keeps_state}});
  }
  return TextOf(rows);
}

}  // namespace callbridge
