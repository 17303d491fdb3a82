#include "callbridge/adapters/operator_check.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "callbridge/abi/shape_text.h"

namespace callbridge {
namespace {

using Form = OperatorInfo::Form;
using Presence = OperatorInfo::Presence;
using Value = OperatorInfo::Value;

// The number of entries of a list, and of combinations, that a message shows.
constexpr size_t kShown = 8;

// Joins text(i) for each i up to `count`, or for the first ones.
template <typename Text>
std::string Join(size_t count, absl::string_view separator, Text text) {
  std::vector<std::string> parts;
  for (size_t i = 0; i < std::min(count, kShown); ++i) parts.push_back(text(i));
  if (count > kShown) parts.push_back(absl::StrCat("... (", count - kShown, " more)"));
  return absl::StrJoin(parts, separator);
}

std::string Shown(const Shape& shape) {
  constexpr size_t kLongest = 200;
  std::string text = ShapeText(shape);
  if (text.size() > kLongest) text = absl::StrCat(text.substr(0, kLongest), "...");
  return text;
}

// ---- One operand or result ----------------------------------------------------------------------

bool IsRowMajor(const Shape& array) {
  if (!array.layout().has_value()) return true;
  const std::vector<int64_t>& order = array.layout()->minor_to_major;
  return std::is_sorted(order.rbegin(), order.rend());
}

std::string TypeText(const Form& form) {
  return form.type == PrimitiveType::kInvalid ? "any type"
                                              : std::string(PrimitiveTypeName(form.type));
}

// What an array is: "f32", "f32 NCHW".
std::string ArrayText(const Form& form) {
  const bool constrains = form.min_rank > 0 || form.max_rank != Form::kAnyRank;
  return absl::StrCat(TypeText(form), constrains ? " " : "", constrains ? form.format : "");
}

// The same, or "a tuple of f32".
std::string FormText(const Form& form) {
  return absl::StrCat(form.is_tuple ? "a tuple of " : "", ArrayText(form));
}

std::string RankText(const Form& form) {
  if (form.min_rank == form.max_rank) return absl::StrCat("rank ", form.min_rank);
  if (form.max_rank == Form::kAnyRank) return absl::StrCat("rank ", form.min_rank, " or more");
  return absl::StrCat("rank ", form.min_rank, " to ", form.max_rank);
}

// Returns what an array must be and is not, or "".
std::string ArrayDifference(const Form& form, const Shape& array) {
  if (!array.IsArray()) return "an array";
  if (form.type != PrimitiveType::kInvalid && form.type != array.element_type()) {
    return ArrayText(form);
  }
  const size_t rank = array.dimensions().size();
  if (rank < form.min_rank || rank > form.max_rank) {
    return absl::StrCat(ArrayText(form), ", which has ", RankText(form));
  }
  if (form.is_row_major && !IsRowMajor(array)) {
    return absl::StrCat(TypeText(form), " ", form.format, ", which is row-major");
  }
  return "";
}

// Likewise of an operand or a result.
std::string Difference(const Value& value, const Form& form, const Shape& shape) {
  if (!shape.IsTuple()) return form.is_tuple ? FormText(form) : ArrayDifference(form, shape);
  if (!form.is_tuple && value.presence != Presence::kDynamic) {
    return form.type == PrimitiveType::kInvalid ? "an array" : FormText(form);
  }
  const std::vector<const Shape*> leaves = shape.Leaves();
  if (leaves.empty() && !form.is_tuple) return "at least one array";
  for (const Shape* leaf : leaves) {
    const std::string difference = ArrayDifference(form, *leaf);
    if (!difference.empty()) return absl::StrCat("a tuple, each leaf of which is ", difference);
  }
  return "";
}

// ---- A call -------------------------------------------------------------------------------------

// The operands and results of a call, as the information counts them.
struct Call {
  std::vector<const Shape*> operands;
  std::vector<const Shape*> results;
};

// Returns whether the only result is a tuple, and no list of results.
bool IsTupleResult(const OperatorInfo& info) {
  if (info.results.size() != 1) return false;
  if (info.results[0].presence == Presence::kDynamic) return true;
  return std::any_of(info.combinations.begin(), info.combinations.end(),
                     [](const std::vector<Form>& forms) { return forms.back().is_tuple; });
}

Call CallOf(const CallSite& site, const OperatorInfo& info) {
  Call call;
  for (const Shape& operand : site.operands) call.operands.push_back(&operand);
  if (site.result.IsTuple() && !IsTupleResult(info)) {
    for (const Shape& result : site.result.tuple_elements()) call.results.push_back(&result);
  } else {
    call.results.push_back(&site.result);
  }
  return call;
}

std::string NameOf(const Value& value) {
  return value.name.empty() ? "" : absl::StrCat(value.name, " ");
}

absl::Status CheckCount(absl::string_view subject, absl::string_view what,
                        const std::vector<Value>& declared, size_t count) {
  const size_t most = declared.size();
  const auto least =
      static_cast<size_t>(std::count_if(declared.begin(), declared.end(), [](const Value& value) {
        return value.presence != Presence::kOptional;
      }));
  if (least <= count && count <= most) return absl::OkStatus();
  const std::string names = Join(most, ", ", [&](size_t i) {
    return declared[i].name.empty() ? absl::StrCat("number ", i) : declared[i].name;
  });
  return absl::InvalidArgumentError(absl::StrCat(
      subject, " declares ", most, " ", what, most > 0 ? absl::StrCat(" (", names, ")") : "",
      least < most ? absl::StrCat(", of which ", most - least, " may be missing") : "",
      ", but the call has ", count));
}

// ---- Combinations -------------------------------------------------------------------------------

std::string CombinationText(const OperatorInfo& info, const std::vector<Form>& forms) {
  const auto list = [&](const std::vector<Value>& values, size_t first) {
    return Join(values.size(), ", ", [&](size_t i) {
      return absl::StrCat(NameOf(values[i]), FormText(forms[first + i]));
    });
  };
  return absl::StrCat("(", list(info.operands, 0), ") -> (",
                      list(info.results, info.operands.size()), ")");
}

std::string CallText(const Call& call) {
  const auto list = [](const std::vector<const Shape*>& shapes) {
    return Join(shapes.size(), ", ", [&](size_t i) { return Shown(*shapes[i]); });
  };
  return absl::StrCat("(", list(call.operands), ") -> (", list(call.results), ")");
}

// Calls visit(what, index, name, must be, is) for each operand and result that differs.
template <typename Visit>
void VisitDifferences(const OperatorInfo& info, const std::vector<Form>& forms, const Call& call,
                      Visit visit) {
  const auto compare = [&](absl::string_view what, const std::vector<Value>& values,
                           const std::vector<const Shape*>& shapes, size_t first) {
    for (size_t i = 0; i < shapes.size(); ++i) {
      const std::string expected = Difference(values[i], forms[first + i], *shapes[i]);
      if (!expected.empty()) visit(what, i, values[i], expected, *shapes[i]);
    }
  };
  compare("operand", info.operands, call.operands, 0);
  compare("result", info.results, call.results, info.operands.size());
}

size_t CountDifferences(const OperatorInfo& info, const std::vector<Form>& forms,
                        const Call& call) {
  size_t count = 0;
  VisitDifferences(
      info, forms, call,
      [&](absl::string_view, size_t, const Value&, const std::string&, const Shape&) { ++count; });
  return count;
}

std::string DifferencesText(const OperatorInfo& info, const std::vector<Form>& forms,
                            const Call& call) {
  std::vector<std::string> texts;
  VisitDifferences(info, forms, call,
                   [&](absl::string_view what, size_t i, const Value& value,
                       const std::string& expected, const Shape& shape) {
                     const std::string name =
                         value.name.empty() ? "" : absl::StrCat(" (", value.name, ")");
                     texts.push_back(absl::StrCat(what, " ", i, name, " must be ", expected,
                                                  ", but is ", Shown(shape)));
                   });
  return Join(texts.size(), "; ", [&](size_t i) { return texts[i]; });
}

absl::Status CheckCombinations(absl::string_view subject, const OperatorInfo& info,
                               const Call& call) {
  if (info.combinations.empty()) return absl::OkStatus();
  size_t nearest = 0;
  size_t fewest = 0;
  for (size_t i = 0; i < info.combinations.size(); ++i) {
    const size_t differences = CountDifferences(info, info.combinations[i], call);
    if (differences == 0) return absl::OkStatus();
    if (i == 0 || differences < fewest) {
      nearest = i;
      fewest = differences;
    }
  }
  const size_t count = info.combinations.size();
  const std::string allowed =
      Join(count, " or ", [&](size_t i) { return CombinationText(info, info.combinations[i]); });
  const std::string which =
      count == 1 ? ""
                 : absl::StrCat("nearest is combination ", nearest + 1, " of ", count, ", ",
                                CombinationText(info, info.combinations[nearest]), ": ");
  return absl::InvalidArgumentError(
      absl::StrCat(subject, " allows ", allowed, ", but the call has ", CallText(call), "; ", which,
                   DifferencesText(info, info.combinations[nearest], call)));
}

// ---- Attributes ---------------------------------------------------------------------------------

absl::Status CheckAttributes(absl::string_view subject, const OperatorInfo& info,
                             const Attributes& given) {
  const auto& declared = info.attributes;
  for (const auto& [name, value] : given.values()) {
    const std::string& wanted = name;  // a structured binding cannot be captured
    const auto attribute = std::find_if(
        declared.begin(), declared.end(),
        [&](const OperatorInfo::Attribute& candidate) { return candidate.name == wanted; });
    if (attribute == declared.end()) {
      return absl::InvalidArgumentError(absl::StrCat(
          subject, " declares no attribute \"", name, "\", which the call has; it declares ",
          declared.empty() ? "none" : Join(declared.size(), ", ", [&](size_t i) {
            return declared[i].name;
          })));
    }
    if (!Fits(attribute->type, value)) {
      return absl::InvalidArgumentError(absl::StrCat(subject, " declares attribute \"", name,
                                                     "\" as ", attribute->type.name,
                                                     ", but the call has ", AttributeText(value)));
    }
  }
  for (const OperatorInfo::Attribute& attribute : declared) {
    if (!attribute.is_required || given.values().count(attribute.name) > 0 ||
        info.defaults.values().count(attribute.name) > 0) {
      continue;
    }
    return absl::InvalidArgumentError(
        absl::StrCat(subject, " requires attribute \"", attribute.name, "\"",
                     attribute.type.name.empty() ? "" : absl::StrCat(", ", attribute.type.name),
                     ", which has no default and which the call lacks"));
  }
  return absl::OkStatus();
}

bool IsUntyped(const CallSite& site, const Target& target) {
  const ApiVersion known =
      target.api_version != ApiVersion::kUnspecified ? target.api_version : site.api_version;
  return known != ApiVersion::kTypedFfi;
}

}  // namespace

absl::Status CheckOperator(const CallSite& site, const Target& target) {
  if (site.operator_info == nullptr) return absl::OkStatus();
  const OperatorInfo& info = *site.operator_info;
  const std::string subject =
      absl::StrCat("custom call \"", target.name, "\": its operator information",
                   info.name.empty() ? "" : absl::StrCat(" \"", info.name, "\""));
  if (absl::Status declared = CheckOperatorInfo(info); !declared.ok()) {
    return absl::InvalidArgumentError(absl::StrCat(subject, ": ", declared.message()));
  }
  const std::vector<Platform>& platforms = info.platforms;
  if (std::find(platforms.begin(), platforms.end(), site.platform) == platforms.end()) {
    return absl::InvalidArgumentError(absl::StrCat(subject, " is for ", info.device,
                                                   ", but the call is made on ",
                                                   PlatformName(site.platform)));
  }
  if (!info.attributes.empty() && IsUntyped(site, target)) {
    return absl::InvalidArgumentError(
        absl::StrCat(subject, " declares attribute \"", info.attributes[0].name,
                     "\", but the target is untyped and takes none: pass bytes as its opaque"));
  }
  const Call call = CallOf(site, info);
  absl::Status status = CheckCount(subject, "operands", info.operands, call.operands.size());
  if (status.ok()) status = CheckCount(subject, "results", info.results, call.results.size());
  if (status.ok()) status = CheckCombinations(subject, info, call);
  if (status.ok()) status = CheckAttributes(subject, info, site.attributes);
  return status;
}

}  // namespace callbridge
