#include "callbridge/mindspore_aot/dtype_name.h"

namespace callbridge {
namespace mindspore_aot {

const char* DtypeName(PrimitiveType type) {
  switch (type) {
    case PrimitiveType::kPred:
      return "bool";
    case PrimitiveType::kS8:
      return "int8";
    case PrimitiveType::kS16:
      return "int16";
    case PrimitiveType::kS32:
      return "int32";
    case PrimitiveType::kS64:
      return "int64";
    case PrimitiveType::kU8:
      return "uint8";
    case PrimitiveType::kU16:
      return "uint16";
    case PrimitiveType::kU32:
      return "uint32";
    case PrimitiveType::kU64:
      return "uint64";
    case PrimitiveType::kF16:
      return "float16";
    case PrimitiveType::kF32:
      return "float32";
    case PrimitiveType::kF64:
      return "float64";
    case PrimitiveType::kBf16:
      return "bfloat16";
    case PrimitiveType::kC64:
      return "complex64";
    case PrimitiveType::kC128:
      return "complex128";
    default:
      return nullptr;
  }
}

}  // namespace mindspore_aot
}  // namespace callbridge
