// ExtraObject for libraries of libstdc++'s new std::string.
#undef _GLIBCXX_USE_CXX11_ABI
#define _GLIBCXX_USE_CXX11_ABI 1
// The classes of the other string ABI have the same names otherwise, and other tables of functions.
#define AotExtra AotExtraOfNewString
#define AotKernelData AotKernelDataOfNewString
#include <memory>
#include <utility>

#include "callbridge/mindspore_aot/extra_object.inc"

namespace callbridge {
namespace mindspore_aot {

std::unique_ptr<ExtraObject> MakeExtraOfNewString(AttributeValues attributes) {
  return std::make_unique<ExtraHolder>(std::move(attributes));
}

}  // namespace mindspore_aot
}  // namespace callbridge
