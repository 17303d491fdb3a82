#include "callbridge/abi/site_descriptor.h"

#include <cstdint>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace callbridge {
namespace {

constexpr absl::string_view kMagic(kSiteDescriptorMagic, kSiteDescriptorMagicSize);
constexpr size_t kU32Size = 4;
constexpr size_t kHeaderSize = kSiteDescriptorMagicSize + kU32Size;

void AppendU32(uint32_t value, std::string* bytes) {
  for (size_t i = 0; i < kU32Size; ++i) bytes->push_back(static_cast<char>(value >> (8 * i)));
}

// `bytes` has at least kU32Size of them.
uint32_t ReadU32(absl::string_view bytes) {
  uint32_t value = 0;
  for (size_t i = 0; i < kU32Size; ++i) {
    value |= uint32_t{static_cast<uint8_t>(bytes[i])} << (8 * i);
  }
  return value;
}

void AppendTree(const Shape& shape, std::string* bytes) {
  bytes->push_back(static_cast<char>(shape.element_type()));
  if (!shape.IsTuple()) return;
  AppendU32(shape.tuple_elements().size(), bytes);
  for (const Shape& element : shape.tuple_elements()) AppendTree(element, bytes);
}

std::string EncodeTree(const CallSite& site) {
  std::string tree(1, static_cast<char>(site.era));
  AppendU32(site.operands.size(), &tree);
  for (const Shape& operand : site.operands) AppendTree(operand, &tree);
  AppendTree(site.result, &tree);
  return tree;
}

// Reads a tree part from front to back. Nothing is allocated on the word of a count.
class TreeReader {
 public:
  explicit TreeReader(absl::string_view tree) : size_(tree.size()), rest_(tree) {}

  absl::StatusOr<SiteDescriptor> ReadWholeTree() {
    absl::StatusOr<TupleEra> era = ReadEra();
    if (!era.ok()) return era.status();
    absl::StatusOr<std::vector<Shape>> operands = ReadShapes("operands", /*enclosing_tuples=*/0);
    if (!operands.ok()) return operands.status();
    absl::StatusOr<Shape> result = ReadShape(/*enclosing_tuples=*/0);
    if (!result.ok()) return result.status();
    if (!rest_.empty()) return Expected("the end", absl::StrCat(rest_.size(), " bytes more"));
    return SiteDescriptor{*era, *std::move(operands), *std::move(result)};
  }

 private:
  absl::StatusOr<TupleEra> ReadEra() {
    if (rest_.empty()) return Expected("a tuple era", "the end");
    const int era = static_cast<uint8_t>(rest_[0]);
    if (era > static_cast<int>(TupleEra::kFlat)) {
      return Expected("a tuple era, 0 (classic) or 1 (flat)", absl::StrCat(era));
    }
    rest_.remove_prefix(1);
    return static_cast<TupleEra>(era);
  }

  // A count and as many trees.
  absl::StatusOr<std::vector<Shape>> ReadShapes(absl::string_view what, int enclosing_tuples) {
    if (rest_.size() < kU32Size) {
      return Expected(absl::StrCat("a count of ", what, " (4 bytes)"),
                      absl::StrCat("the end after ", rest_.size()));
    }
    const uint32_t count = ReadU32(rest_);
    const size_t bytes_behind = rest_.size() - kU32Size;
    if (count > bytes_behind) {  // the smallest tree is one byte
      return Expected(
          absl::StrCat("at most ", bytes_behind, " ", what, ", as so many bytes follow the count"),
          absl::StrCat(count));
    }
    rest_.remove_prefix(kU32Size);
    std::vector<Shape> shapes;
    for (uint32_t i = 0; i < count; ++i) {
      absl::StatusOr<Shape> shape = ReadShape(enclosing_tuples);
      if (!shape.ok()) return shape.status();
      shapes.push_back(*std::move(shape));
    }
    return shapes;
  }

  absl::StatusOr<Shape> ReadShape(int enclosing_tuples) {
    if (rest_.empty()) return Expected("the type of a shape", "the end");
    const int number = static_cast<uint8_t>(rest_[0]);
    if (!IsPrimitiveType(number)) {
      return Expected("the number of a PrimitiveType", absl::StrCat(number));
    }
    const auto type = static_cast<PrimitiveType>(number);
    if (type == PrimitiveType::kTuple && enclosing_tuples == Shape::kMaxTupleDepth) {
      return Expected(absl::StrCat("tuples nested at most ", Shape::kMaxTupleDepth, " deep"),
                      "one more");
    }
    rest_.remove_prefix(1);
    if (type == PrimitiveType::kToken) return Shape::MakeToken();
    if (type != PrimitiveType::kTuple) return Shape::MakeArray(type, {});
    absl::StatusOr<std::vector<Shape>> elements =
        ReadShapes("tuple elements", enclosing_tuples + 1);
    if (!elements.ok()) return elements.status();
    return Shape::MakeTuple(*std::move(elements));
  }

  absl::Status Expected(absl::string_view what, absl::string_view found) const {
    return absl::InvalidArgumentError(absl::StrCat("site descriptor, byte ", size_ - rest_.size(),
                                                   " of its tree: expected ", what, ", found ",
                                                   found));
  }

  const size_t size_;
  absl::string_view rest_;
};

}  // namespace

std::string EncodeSiteDescriptor(const CallSite& site) {
  const std::string tree = EncodeTree(site);
  std::string bytes(kMagic);
  AppendU32(tree.size(), &bytes);
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
                                                   " bytes; it was cut off on its way"));
  }
  const uint32_t tree_size = ReadU32(bytes.substr(kSiteDescriptorMagicSize));
  const absl::string_view rest = bytes.substr(kHeaderSize);
  if (tree_size > rest.size()) {
    return absl::InvalidArgumentError(absl::StrCat("site descriptor: expected a tree of ",
                                                   tree_size, " bytes, found ", rest.size(),
                                                   " bytes; it was cut off on its way"));
  }
  return SiteDescriptorParts{rest.substr(0, tree_size), rest.substr(tree_size)};
}

absl::StatusOr<SiteDescriptor> DecodeSiteTree(absl::string_view tree) {
  return TreeReader(tree).ReadWholeTree();
}

}  // namespace callbridge
