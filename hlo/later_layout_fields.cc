#include "callbridge/hlo/later_layout_fields.h"

#include "google/protobuf/message.h"
#include "google/protobuf/unknown_field_set.h"

namespace callbridge::hlo {
namespace {

constexpr int kElementSizeInBits = 7;
constexpr int kTailPaddingAlignmentInElements = 16;

// The last one counts, as for any field. One of another wire type is none.
int64_t UnknownNumber(const xla::LayoutProto& layout, int number) {
  const google::protobuf::UnknownFieldSet& fields =
      xla::LayoutProto::GetReflection()->GetUnknownFields(layout);
  int64_t value = 0;
  for (int i = 0; i < fields.field_count(); ++i) {
    const google::protobuf::UnknownField& field = fields.field(i);
    if (field.number() == number && field.type() == google::protobuf::UnknownField::TYPE_VARINT) {
      value = static_cast<int64_t>(field.varint());
    }
  }
  return value;
}

}  // namespace

int64_t ElementSizeInBits(const xla::LayoutProto& layout) {
  return UnknownNumber(layout, kElementSizeInBits);
}

void SetElementSizeInBits(int64_t bits, xla::LayoutProto* layout) {
  // The set of unknown fields is memory of its own, which most layouts do without.
  const google::protobuf::Reflection& reflection = *xla::LayoutProto::GetReflection();
  if (bits == 0 && reflection.GetUnknownFields(*layout).empty()) return;
  google::protobuf::UnknownFieldSet& fields = *reflection.MutableUnknownFields(layout);
  fields.DeleteByNumber(kElementSizeInBits);
  if (bits != 0) fields.AddVarint(kElementSizeInBits, static_cast<uint64_t>(bits));
}

int64_t TailPaddingAlignmentInElements(const xla::LayoutProto& layout) {
  return UnknownNumber(layout, kTailPaddingAlignmentInElements);
}

}  // namespace callbridge::hlo
