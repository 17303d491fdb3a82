#include "callbridge/abi/site_descriptor.h"

#include <cstdint>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "callbridge/abi/descriptor_bytes.h"

namespace callbridge {
namespace {

constexpr absl::string_view kMagic(kSiteDescriptorMagic, kSiteDescriptorMagicSize);
constexpr size_t kU32Size = 4;
constexpr size_t kHeaderSize = kSiteDescriptorMagicSize + kU32Size;

void AppendTree(const Shape& shape, std::string* bytes) {
  bytes->push_back(static_cast<char>(shape.element_type()));
  if (!shape.IsTuple()) return;
  AppendNumber(shape.tuple_elements().size(), kU32Size, bytes);
  for (const Shape& element : shape.tuple_elements()) AppendTree(element, bytes);
}

std::string EncodeTree(const CallSite& site) {
  std::string tree(1, static_cast<char>(site.tuple_layout));
  AppendNumber(site.operands.size(), kU32Size, &tree);
  for (const Shape& operand : site.operands) AppendTree(operand, &tree);
  AppendTree(site.result, &tree);
  return tree;
}

class TreeReader {
 public:
  explicit TreeReader(absl::string_view tree) : bytes_("tree", tree) {}

  absl::StatusOr<SiteDescriptor> ReadWholeTree() {
    absl::StatusOr<TupleLayout> tuple_layout = ReadTupleLayout();
    if (!tuple_layout.ok()) return tuple_layout.status();
    absl::StatusOr<std::vector<Shape>> operands = ReadShapes("operands", /*enclosing_tuples=*/0);
    if (!operands.ok()) return operands.status();
    absl::StatusOr<Shape> result = ReadShape(/*enclosing_tuples=*/0);
    if (!result.ok()) return result.status();
    const absl::Status end = bytes_.ReadEnd();
    if (!end.ok()) return end;
    return SiteDescriptor{*tuple_layout, *std::move(operands), *std::move(result)};
  }

 private:
  absl::StatusOr<TupleLayout> ReadTupleLayout() {
    const absl::StatusOr<uint8_t> tuple_layout = bytes_.PeekByte("a tuple layout");
    if (!tuple_layout.ok()) return tuple_layout.status();
    if (*tuple_layout > static_cast<uint8_t>(TupleLayout::kFlat)) {
      return bytes_.Expected("a tuple layout, 0 (nested) or 1 (flat)",
                             absl::StrCat(int{*tuple_layout}));
    }
    bytes_.Skip(1);
    return static_cast<TupleLayout>(*tuple_layout);
  }

  // Reads a count and as many trees, of which the smallest is one byte.
  absl::StatusOr<std::vector<Shape>> ReadShapes(absl::string_view what, int enclosing_tuples) {
    const absl::StatusOr<uint64_t> count = bytes_.ReadCount(kU32Size, /*smallest=*/1, what);
    if (!count.ok()) return count.status();
    std::vector<Shape> shapes;
    for (uint64_t i = 0; i < *count; ++i) {
      absl::StatusOr<Shape> shape = ReadShape(enclosing_tuples);
      if (!shape.ok()) return shape.status();
      shapes.push_back(*std::move(shape));
    }
    return shapes;
  }

  absl::StatusOr<Shape> ReadShape(int enclosing_tuples) {
    const absl::StatusOr<PrimitiveType> type = bytes_.PeekType("the type of a shape");
    if (!type.ok()) return type.status();
    if (*type == PrimitiveType::kTuple && enclosing_tuples == Shape::kMaxTupleDepth) {
      return bytes_.Expected(absl::StrCat("tuples nested at most ", Shape::kMaxTupleDepth, " deep"),
                             "one more");
    }
    if (*type != PrimitiveType::kToken && *type != PrimitiveType::kTuple) {
      absl::StatusOr<Shape> array = Shape::MakeArray(*type, {});
      if (!array.ok()) {
        return bytes_.Expected(
            "a type that an array can have",
            absl::StrCat(PrimitiveTypeName(*type), " (", static_cast<int>(*type), ")"));
      }
      bytes_.Skip(1);
      return array;
    }
    bytes_.Skip(1);
    if (*type == PrimitiveType::kToken) return Shape::MakeToken();
    absl::StatusOr<std::vector<Shape>> elements =
        ReadShapes("tuple elements", enclosing_tuples + 1);
    if (!elements.ok()) return elements.status();
    return Shape::MakeTuple(*std::move(elements));
  }

  DescriptorReader bytes_;
};

}  // namespace

std::string EncodeSiteDescriptor(const CallSite& site) {
  const std::string tree = EncodeTree(site);
  std::string bytes(kMagic);
  AppendNumber(tree.size(), kU32Size, &bytes);
  absl::StrAppend(&bytes, tree, site.opaque);
  return bytes;
}

absl::StatusOr<SiteDescriptorParts> SplitSiteDescriptor(absl::string_view bytes) {
  if (!IsSiteDescriptor(bytes.data(), bytes.size())) {
    return absl::InvalidArgumentError(
        "expected a site descriptor of version 1, which begins with bytes cb 00 73 69 74 65 00 01; "
        "rebuild the call site with the callbridge that runs it");
  }
  if (bytes.size() < kHeaderSize) {
    return absl::InvalidArgumentError(absl::StrCat("site descriptor: expected a header of ",
                                                   kHeaderSize, " bytes, found ", bytes.size(),
                                                   " bytes; the descriptor was truncated"));
  }
  DescriptorReader header("header", bytes.substr(kSiteDescriptorMagicSize));
  const uint64_t tree_size = header.ReadNumber(kU32Size, "the size of its tree").value();
  const absl::string_view rest = bytes.substr(kHeaderSize);
  if (tree_size > rest.size()) {
    return absl::InvalidArgumentError(absl::StrCat("site descriptor: expected a tree of ",
                                                   tree_size, " bytes, found ", rest.size(),
                                                   " bytes; the descriptor was truncated"));
  }
  return SiteDescriptorParts{rest.substr(0, tree_size), rest.substr(tree_size)};
}

absl::StatusOr<SiteDescriptor> DecodeSiteTree(absl::string_view tree) {
  return TreeReader(tree).ReadWholeTree();
}

}  // namespace callbridge
