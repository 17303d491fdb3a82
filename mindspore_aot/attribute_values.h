// AttributeValues: the attributes of a call site of an AOT operator, of the eight types that
// AotExtra gives out. No std::string in it: both string ABIs' objects read it.
#ifndef CALLBRIDGE_MINDSPORE_AOT_ATTRIBUTE_VALUES_H_
#define CALLBRIDGE_MINDSPORE_AOT_ATTRIBUTE_VALUES_H_

#include <cstdint>
#include <utility>
#include <variant>
#include <vector>

namespace callbridge {
namespace mindspore_aot {

using Text = std::vector<char>;
using AttributeValue =
    std::variant<bool, int64_t, float, Text, std::vector<int64_t>, std::vector<float>,
                 std::vector<std::vector<int64_t>>, std::vector<std::vector<float>>>;

// In the order of the call, each with its name.
using AttributeValues = std::vector<std::pair<Text, AttributeValue>>;

}  // namespace mindspore_aot
}  // namespace callbridge

#endif  // CALLBRIDGE_MINDSPORE_AOT_ATTRIBUTE_VALUES_H_
