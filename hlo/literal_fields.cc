#include "callbridge/hlo/literal_fields.h"

namespace callbridge::hlo {
namespace {

using xla::LiteralProto;

struct Field {
  PrimitiveType type;
  const std::string& (*get)(const LiteralProto& literal);
  std::string* (*get_mutable)(LiteralProto& literal);
};

// Not the accessors' own addresses: what has one is exported.
#define CALLBRIDGE_FIELD(type, name)                                                      \
  {                                                                                       \
    PrimitiveType::type,                                                                  \
        [](const LiteralProto& literal) -> const std::string& { return literal.name(); }, \
        [](LiteralProto& literal) { return literal.mutable_##name(); }                    \
  }
constexpr Field kFields[] = {
    CALLBRIDGE_FIELD(kS1, s1s),
    CALLBRIDGE_FIELD(kU1, u1s),
    CALLBRIDGE_FIELD(kS2, s2s),
    CALLBRIDGE_FIELD(kU2, u2s),
    CALLBRIDGE_FIELD(kS4, s4s),
    CALLBRIDGE_FIELD(kU4, u4s),
    CALLBRIDGE_FIELD(kS8, s8s),
    CALLBRIDGE_FIELD(kU8, u8s),
    CALLBRIDGE_FIELD(kS16, s16s),
    CALLBRIDGE_FIELD(kU16, u16s),
    CALLBRIDGE_FIELD(kF16, f16s),
    CALLBRIDGE_FIELD(kBf16, bf16s),
    CALLBRIDGE_FIELD(kF4E2M1FN, f4e2m1fns),
    CALLBRIDGE_FIELD(kF8E8M0FNU, f8e8m0fnus),
    CALLBRIDGE_FIELD(kF8E3M4, f8e3m4s),
    CALLBRIDGE_FIELD(kF8E4M3, f8e4m3s),
    CALLBRIDGE_FIELD(kF8E4M3FN, f8e4m3fns),
    CALLBRIDGE_FIELD(kF8E4M3FNUZ, f8e4m3fnuzs),
    CALLBRIDGE_FIELD(kF8E4M3B11FNUZ, f8e4m3b11fnuzs),
    CALLBRIDGE_FIELD(kF8E5M2, f8e5m2s),
    CALLBRIDGE_FIELD(kF8E5M2FNUZ, f8e5m2fnuzs),
};
#undef CALLBRIDGE_FIELD

const Field* FindField(PrimitiveType type) {
  for (const Field& field : kFields) {
    if (field.type == type) return &field;
  }
  return nullptr;
}

}  // namespace

const std::string* BytesField(const LiteralProto& literal, PrimitiveType type) {
  const Field* field = FindField(type);
  return field == nullptr ? nullptr : &field->get(literal);
}

std::string* MutableBytesField(LiteralProto* literal, PrimitiveType type) {
  const Field* field = FindField(type);
  return field == nullptr ? nullptr : field->get_mutable(*literal);
}

}  // namespace callbridge::hlo
