// xla::LiteralUtil: makes literals from C++ values.
#ifndef CALLBRIDGE_HLO_LITERAL_UTIL_H_
#define CALLBRIDGE_HLO_LITERAL_UTIL_H_

#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "callbridge/abi/exported.h"
#include "callbridge/hlo/literal.h"

namespace xla {
inline namespace callbridge_v1 {

class CALLBRIDGE_EXPORTED LiteralUtil {
 public:
  LiteralUtil() = delete;

  template <typename NativeT>
  static Literal CreateR0(NativeT value) {
    Literal literal(ShapeUtil::MakeShapeWithType<NativeT>({}));
    literal.Set<NativeT>({}, value);
    return literal;
  }
  template <typename NativeT>
  static Literal CreateR1(absl::Span<const NativeT> values) {
    Literal literal(ShapeUtil::MakeShapeWithType<NativeT>({static_cast<int64_t>(values.size())}));
    literal.PopulateR1<NativeT>(values);
    return literal;
  }
  // Inner lists must be equally long.
  template <typename NativeT>
  static Literal CreateR2(std::initializer_list<std::initializer_list<NativeT>> values) {
    return CreateR2WithLayout<NativeT>(values, LayoutUtil::GetDefaultLayoutForR2());
  }
  template <typename NativeT>
  static Literal CreateR2WithLayout(std::initializer_list<std::initializer_list<NativeT>> values,
                                    const Layout& layout) {
    const int64_t columns = values.size() == 0 ? 0 : static_cast<int64_t>(values.begin()->size());
    Literal literal(ShapeUtil::MakeShapeWithDenseLayout(
        primitive_util::NativeToPrimitiveType<NativeT>(),
        {static_cast<int64_t>(values.size()), columns}, layout.minor_to_major()));
    literal.PopulateR2<NativeT>(values);
    return literal;
  }
  template <typename NativeT>
  static Literal CreateR3(
      std::initializer_list<std::initializer_list<std::initializer_list<NativeT>>> values) {
    return CreateR3WithLayout<NativeT>(values, LayoutUtil::GetDefaultLayoutForR3());
  }
  template <typename NativeT>
  static Literal CreateR3WithLayout(
      std::initializer_list<std::initializer_list<std::initializer_list<NativeT>>> values,
      const Layout& layout) {
    const bool any = values.size() != 0;
    const int64_t rows = any ? static_cast<int64_t>(values.begin()->size()) : 0;
    const int64_t columns = rows != 0 ? static_cast<int64_t>(values.begin()->begin()->size()) : 0;
    Literal literal(ShapeUtil::MakeShapeWithDenseLayout(
        primitive_util::NativeToPrimitiveType<NativeT>(),
        {static_cast<int64_t>(values.size()), rows, columns}, layout.minor_to_major()));
    int64_t plane = 0;
    for (const auto& plane_values : values) {
      int64_t row = 0;
      for (const auto& row_values : plane_values) {
        int64_t column = 0;
        for (const NativeT& value : row_values) literal.Set<NativeT>({plane, row, column++}, value);
        ++row;
      }
      ++plane;
    }
    return literal;
  }
  static Literal CreateR1U8(absl::string_view value);

  // Returns an array whose elements all have the given value.
  template <typename NativeT>
  static Literal CreateFullWithDescendingLayout(absl::Span<const int64_t> dimensions,
                                                NativeT value) {
    Literal literal(ShapeUtil::MakeShapeWithType<NativeT>(dimensions));
    literal.PopulateWithValue<NativeT>(value);
    return literal;
  }
  // Returns an array of zeros.
  static Literal CreateFromDimensions(PrimitiveType type, absl::Span<const int64_t> dimensions);

  // Return scalars. End the process for types without such a value. The minimum and maximum of
  // floats are the infinities.
  static Literal Zero(PrimitiveType type);
  static Literal One(PrimitiveType type);
  static Literal MinValue(PrimitiveType type);
  static Literal MaxValue(PrimitiveType type);

  static Literal CreateToken();
  // Copies the elements.
  static Literal MakeTuple(absl::Span<const Literal* const> elements);
  static Literal MakeTupleFromSlices(absl::Span<const LiteralSlice> elements);
  // Moves the elements.
  static Literal MakeTupleOwned(std::vector<Literal> elements);
  template <typename... Ts>
  static Literal MakeTupleOwned(Ts... elements) {
    std::vector<Literal> list;
    list.reserve(sizeof...(Ts));
    (list.push_back(std::move(elements)), ...);
    return MakeTupleOwned(std::move(list));
  }

  // Returns a text such as "{1,0}".
  static std::string MultiIndexAsString(absl::Span<const int64_t> index);
};

}  // namespace callbridge_v1
}  // namespace xla

#endif  // CALLBRIDGE_HLO_LITERAL_UTIL_H_
