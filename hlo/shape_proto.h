// Conversions between xla::ShapeProto, xla::Shape and callbridge::Shape.
#ifndef CALLBRIDGE_HLO_SHAPE_PROTO_H_
#define CALLBRIDGE_HLO_SHAPE_PROTO_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "callbridge/abi/shape.h"
#include "callbridge/hlo/shape.h"
#include "callbridge/hlo/xla_data_proto.h"

namespace callbridge::hlo {

// Returns the shape of the message. Returns INVALID_ARGUMENT for a missing element type, a
// negative dimension, a layout that is not a permutation, more bytes than int64 counts, or tuples
// nested deeper than Shape::kMaxTupleDepth. Returns UNIMPLEMENTED for shapes that no custom call
// takes: dynamic dimensions, opaque and unknown types, buffers, tiled, padded, split and sparse
// layouts.
absl::StatusOr<Shape> ShapeFromProto(const xla::ShapeProto& proto);
// An array without a layout gets no layout in the message.
xla::ShapeProto ShapeToProto(const Shape& shape);

// Returns the same errors as ShapeFromProto().
absl::StatusOr<Shape> ShapeFromXla(const xla::Shape& shape);
// An array without a layout has no layout in the result.
xla::Shape ShapeToXla(const Shape& shape);

// Appends the leaves of `shape` in preorder. They point into `shape`.
void AppendLeaves(const xla::ShapeProto& shape, std::vector<const xla::ShapeProto*>* leaves);
// Makes every array of `shape` row-major.
void SetToDefaultLayout(xla::ShapeProto* shape);
// Makes every array of `shape` that has no layout row-major.
void AddMissingLayouts(xla::ShapeProto* shape);

// Removes all of the layouts but the order of the dimensions and the size of an element.
void KeepOrderOnly(xla::ShapeProto* shape);

// The fields of xla::LayoutProto that TensorFlow 2.13.1 did not have. They are unknown fields here:
// if they were in xla_data.proto, protoc would move the fields that binaries of that time access by
// their offsets.

// Returns element_size_in_bits: the bits of one element, or 0 for the natural size.
int64_t ElementSizeInBits(const xla::LayoutProto& layout);
// Sets element_size_in_bits. 0 removes the field.
void SetElementSizeInBits(int64_t bits, xla::LayoutProto* layout);
// Returns tail_padding_alignment_in_elements: the number of elements is padded to a multiple of it.
int64_t TailPaddingAlignmentInElements(const xla::LayoutProto& layout);
// Sets tail_padding_alignment_in_elements. 0 removes the field.
void SetTailPaddingAlignmentInElements(int64_t elements, xla::LayoutProto* layout);

// One of the layout's split_configs: where a dimension is split between memories.
struct LayoutSplit {
  int64_t dimension = 0;
  std::vector<int64_t> indices;
};
// Returns the split_configs. Ignores those that are malformed.
std::vector<LayoutSplit> Splits(const xla::LayoutProto& layout);
void AddSplit(const LayoutSplit& split, xla::LayoutProto* layout);

}  // namespace callbridge::hlo

#endif  // CALLBRIDGE_HLO_SHAPE_PROTO_H_
