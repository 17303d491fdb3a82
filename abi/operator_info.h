// OperatorInfo: what the author of a target declares of its calls: operands and results, the
// combinations of their types that the target takes, and attributes. Bind() checks a call site that
// carries one (adapters/operator_check.h). mindspore_aot/operator_info_json.h reads it as MindSpore
// writes it.
#ifndef CALLBRIDGE_ABI_OPERATOR_INFO_H_
#define CALLBRIDGE_ABI_OPERATOR_INFO_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "callbridge/abi/attributes.h"
#include "callbridge/abi/platform.h"
#include "callbridge/abi/primitive_type.h"

namespace callbridge {

struct OperatorInfo {
  // How many operands of a call a declared one stands for; likewise of results.
  enum class Presence : uint8_t {
    kRequired,  // one array
    kDynamic,   // one array, or a tuple of at least one array
    kOptional,  // one array or, behind the last one that is there, none
  };

  struct Value {
    std::string name;  // may be empty; for messages
    Presence presence = Presence::kRequired;
  };

  // What an operand or a result is in a combination.
  struct Form {
    static constexpr size_t kAnyRank = std::numeric_limits<size_t>::max();

    PrimitiveType type = PrimitiveType::kInvalid;  // kInvalid: any element type
    size_t min_rank = 0;
    size_t max_rank = kAnyRank;
    bool is_row_major = false;  // a call site with another layout differs
    bool is_tuple = false;      // a tuple of such arrays, nested or empty too, and no array
    std::string format = {};    // as declared, for messages; may be empty
  };

  struct AttributeType {
    enum class Kind : uint8_t { kAny, kScalar, kArray, kString };
    enum class Elements : uint8_t { kBools, kIntegers, kFloats, kExact };

    Kind kind = Kind::kAny;
    Elements elements = Elements::kExact;           // of kScalar and kArray
    PrimitiveType exact = PrimitiveType::kInvalid;  // of kExact
    std::string name = {};                          // as declared, for messages
  };

  struct Attribute {
    std::string name;
    bool is_required = false;
    AttributeType type;
  };

  std::string name;                 // of the operator, for messages
  std::string device;               // as declared, for messages
  std::vector<Platform> platforms;  // those that the declaration is for
  std::vector<Value> operands;
  std::vector<Value> results;
  // Each has a form for each operand, then for each result. Empty: all types are allowed.
  std::vector<std::vector<Form>> combinations;
  std::vector<Attribute> attributes;
  // The values of declared attributes that a call may leave out.
  Attributes defaults;
};

// Returns INVALID_ARGUMENT if a combination has another number of forms than there are operands and
// results, a required operand or result follows an optional one, two attributes have one name, or a
// default is of no declared attribute or not of its type.
absl::Status CheckOperatorInfo(const OperatorInfo& info);

// Returns whether an attribute of that type may have that value.
bool Fits(const OperatorInfo::AttributeType& type, const Attributes::Value& value);

// Returns what a value is, for messages: "s64", "f32[3]", "a string", "a dictionary".
std::string AttributeText(const Attributes::Value& value);

}  // namespace callbridge

#endif  // CALLBRIDGE_ABI_OPERATOR_INFO_H_
