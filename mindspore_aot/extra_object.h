// ExtraObject: an AotExtra, as an operator's library sees it; AttributeValues: the attributes that
// it gives out. No std::string in it: both string ABIs' objects read it.
#ifndef CALLBRIDGE_MINDSPORE_AOT_EXTRA_OBJECT_H_
#define CALLBRIDGE_MINDSPORE_AOT_EXTRA_OBJECT_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <variant>
#include <vector>

namespace callbridge {
namespace mindspore_aot {

// The eight types of attributes that AotExtra gives out.
using Text = std::vector<char>;
using AttributeValue =
    std::variant<bool, int64_t, float, Text, std::vector<int64_t>, std::vector<float>,
                 std::vector<std::vector<int64_t>>, std::vector<std::vector<float>>>;

// In the order of the call, each with its name.
using AttributeValues = std::vector<std::pair<Text, AttributeValue>>;

// Owns the AotExtra and the kernel data that the library's Init set. Reading is thread-safe.
class ExtraObject {
 public:
  virtual ~ExtraObject() = default;
  // The AotExtra*.
  virtual void* get() = 0;
  // What Init set, in bytes.
  virtual const std::vector<size_t>& workspace() const = 0;
  // Deletes the kernel data and forgets the workspace, as before Init.
  virtual void Reset() = 0;
};

// Makes an object for libraries of libstdc++'s old std::string (_GLIBCXX_USE_CXX11_ABI=0), and of
// the new one. A library that asks for an attribute that is not there, or is of another type, gets
// a std::exception that names it.
std::unique_ptr<ExtraObject> MakeExtraOfOldString(AttributeValues attributes);
std::unique_ptr<ExtraObject> MakeExtraOfNewString(AttributeValues attributes);

}  // namespace mindspore_aot
}  // namespace callbridge

#endif  // CALLBRIDGE_MINDSPORE_AOT_EXTRA_OBJECT_H_
