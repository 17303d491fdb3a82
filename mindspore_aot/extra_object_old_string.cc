// ExtraObject for libraries of libstdc++'s old std::string.
#undef _GLIBCXX_USE_CXX11_ABI
#define _GLIBCXX_USE_CXX11_ABI 0
// The classes of the other string ABI have the same names otherwise, and other tables of functions.
#define AotExtra AotExtraOfOldString
#define AotKernelData AotKernelDataOfOldString
#include <memory>
#include <utility>

#include "callbridge/mindspore_aot/extra_object.inc"

namespace callbridge {
namespace mindspore_aot {

std::unique_ptr<ExtraObject> MakeExtraOfOldString(AttributeValues attributes) {
  return std::make_unique<ExtraHolder>(std::move(attributes));
}

}  // namespace mindspore_aot
}  // namespace callbridge
