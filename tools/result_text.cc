#include "callbridge/tools/result_text.h"

#include <algorithm>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "callbridge/abi/platform.h"
#include "callbridge/abi/shape_text.h"
#include "callbridge/adapters/target_abis.h"
#include "callbridge/tools/element_text.h"
#include "nlohmann/json.hpp"

namespace callbridge {
namespace {

// XLA's ShapeIndex: the path from the result to a leaf; empty for a result that is not a tuple.
using Path = std::vector<int64_t>;

void AppendPaths(const Shape& shape, Path* path, std::vector<Path>* paths) {
  if (!shape.IsTuple()) {
    paths->push_back(*path);
    return;
  }
  for (size_t i = 0; i < shape.tuple_elements().size(); ++i) {
    path->push_back(static_cast<int64_t>(i));
    AppendPaths(shape.tuple_elements()[i], path, paths);
    path->pop_back();
  }
}

// In the order of the leaves.
std::vector<Path> LeafPaths(const Shape& shape) {
  std::vector<Path> paths;
  Path path;
  AppendPaths(shape, &path, &paths);
  return paths;
}

std::string FirstElements(const Array& array) {
  constexpr int64_t kShown = 8;
  const PrimitiveType type = array.shape.element_type();
  const int64_t count = array.shape.ElementCount();
  std::string text;
  for (int64_t i = 0; i < std::min(count, kShown); ++i) {
    absl::StrAppend(&text, " ", ElementText(type, array.memory.data() + i * ElementBytes(type)));
  }
  if (count > kShown) absl::StrAppend(&text, " ...");
  return text;
}

std::string TextOf(const ReturnedValue& result) {
  std::string text;
  const std::vector<Path> paths = LeafPaths(result.shape);
  for (size_t i = 0; i < paths.size(); ++i) {
    absl::StrAppend(&text, "result{", absl::StrJoin(paths[i], ","), "} ",
                    ShapeText(result.leaves[i].shape), FirstElements(result.leaves[i]), "\n");
  }
  return text;
}

nlohmann::ordered_json JsonOf(const ReturnedValue& result) {
  auto json = nlohmann::ordered_json::array();
  const std::vector<Path> paths = LeafPaths(result.shape);
  for (size_t i = 0; i < paths.size(); ++i) {
    const Shape& shape = result.leaves[i].shape;
    nlohmann::ordered_json leaf;
    leaf["index"] = paths[i];
    leaf["element_type"] = std::string(PrimitiveTypeName(shape.element_type()));
    leaf["dimensions"] = std::vector<int64_t>(shape.dimensions().begin(), shape.dimensions().end());
    if (!result.files[i].empty()) leaf["file"] = result.files[i];
    json.push_back(leaf);
  }
  return json;
}

// Names may hold any bytes; JSON is UTF-8.
std::string Line(const nlohmann::ordered_json& json) {
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string TextOf(const CallRecord& call) {
  return absl::StrCat(call.target.name, " on ", PlatformName(call.target.platform), ": ",
                      ApiVersionName(call.target.api_version), " (", call.evidence, ")\n",
                      TextOf(call.result));
}

std::string TextOf(const ProgramRecord& program) {
  return absl::StrCat(program.module, "\n", TextOf(program.result));
}

std::string JsonOf(const CallRecord& call) {
  nlohmann::ordered_json json;
  json["target"] = call.target.name;
  json["platform"] = std::string(PlatformName(call.target.platform));
  json["abi"] = std::string(ApiVersionName(call.target.api_version));
  json["evidence"] = call.evidence;
  json["results"] = JsonOf(call.result);
  return Line(json);
}

std::string JsonOf(const ProgramRecord& program) {
  nlohmann::ordered_json json;
  json["module"] = program.module;
  json["results"] = JsonOf(program.result);
  return Line(json);
}

}  // namespace callbridge
