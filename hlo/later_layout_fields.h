// The fields of xla::LayoutProto that TensorFlow 2.13.1 had not. They are unknown fields here: were
// they in the message, protoc would put them between the fields that binaries of that time read at
// places of their own.
#ifndef CALLBRIDGE_HLO_LATER_LAYOUT_FIELDS_H_
#define CALLBRIDGE_HLO_LATER_LAYOUT_FIELDS_H_

#include <cstdint>

#include "callbridge/hlo/xla_data_proto.h"

namespace callbridge::hlo {

// element_size_in_bits: bits that an element takes; 0 for its natural size.
int64_t ElementSizeInBits(const xla::LayoutProto& layout);
void SetElementSizeInBits(int64_t bits, xla::LayoutProto* layout);

// tail_padding_alignment_in_elements: what the number of elements is padded to a multiple of.
int64_t TailPaddingAlignmentInElements(const xla::LayoutProto& layout);

}  // namespace callbridge::hlo

#endif  // CALLBRIDGE_HLO_LATER_LAYOUT_FIELDS_H_
