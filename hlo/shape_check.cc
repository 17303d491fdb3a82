#include "callbridge/hlo/shape_check.h"

#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "callbridge/abi/shape.h"

namespace callbridge::hlo {
namespace {

absl::Status CheckArray(const xla::Shape& shape, Layouts layouts) {
  std::optional<Layout> layout;
  if (shape.has_layout()) {
    const absl::Span<const int64_t> order = shape.layout().minor_to_major();
    layout.emplace();
    layout->minor_to_major.assign(order.begin(), order.end());
    layout->element_size_in_bits = shape.layout().element_size_in_bits();
  } else if (layouts == Layouts::kRequired) {
    return absl::InvalidArgumentError(
        absl::StrCat("the shape ", shape.ToString(), " has no layout"));
  }
  const auto type = IsPrimitiveType(shape.element_type())
                        ? static_cast<PrimitiveType>(shape.element_type())
                        : PrimitiveType::kInvalid;
  return Shape::MakeArray(type, {shape.dimensions().begin(), shape.dimensions().end()},
                          std::move(layout))
      .status();
}

absl::Status Check(const xla::Shape& shape, Layouts layouts, int depth) {
  if (!shape.IsTuple() && shape.tuple_shapes_size() != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected a shape that is no tuple to have no elements; ", shape.ToString(),
                     " has ", shape.tuple_shapes_size()));
  }
  if (!shape.IsTuple() && !shape.IsToken() && !shape.IsOpaque()) return CheckArray(shape, layouts);
  if (shape.rank() != 0 || shape.has_layout()) {
    return absl::InvalidArgumentError("expected only arrays to have dimensions and a layout");
  }
  if (depth > Shape::kMaxTupleDepth) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected tuples nested at most ", Shape::kMaxTupleDepth, " deep"));
  }
  for (const xla::Shape& element : shape.tuple_shapes()) {
    if (absl::Status status = Check(element, layouts, depth + 1); !status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckXlaShape(const xla::Shape& shape, Layouts layouts) {
  return Check(shape, layouts, /*depth=*/1);
}

}  // namespace callbridge::hlo
