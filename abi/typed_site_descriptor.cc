#include "callbridge/abi/typed_site_descriptor.h"

#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "callbridge/abi/descriptor_bytes.h"

namespace callbridge {
namespace {

using Kind = Attributes::Value::Kind;

constexpr size_t kMagicSize = sizeof(kTypedSiteDescriptorMagic) - 1;
constexpr absl::string_view kTypedMagic(kTypedSiteDescriptorMagic, kMagicSize);
constexpr absl::string_view kScratchMagic(kScratchSiteDescriptorMagic, kMagicSize);
constexpr size_t kU64Size = 8;

// ---- Writing

void Append(uint64_t value, std::string* bytes) { AppendNumber(value, kU64Size, bytes); }

void AppendCounted(absl::string_view text, std::string* bytes) {
  Append(text.size(), bytes);
  absl::StrAppend(bytes, text);
}

void AppendLeaves(absl::Span<const Shape* const> leaves, std::string* bytes) {
  Append(leaves.size(), bytes);
  for (const Shape* leaf : leaves) {
    bytes->push_back(static_cast<char>(leaf->element_type()));
    if (leaf->IsToken()) continue;
    Append(leaf->dimensions().size(), bytes);
    for (int64_t dimension : leaf->dimensions()) Append(dimension, bytes);
  }
}

absl::Status AppendDictionary(const Attributes& attributes, int depth, std::string* bytes);

absl::Status AppendValue(const Attributes::Value& value, int depth, std::string* bytes) {
  bytes->push_back(static_cast<char>(value.kind));
  switch (value.kind) {
    case Kind::kArray:
      bytes->push_back(static_cast<char>(value.type));
      Append(value.size, bytes);
      absl::StrAppend(bytes, value.bytes);
      break;
    case Kind::kDictionary:
      return AppendDictionary(*value.dictionary, depth + 1, bytes);
    case Kind::kScalar:
      bytes->push_back(static_cast<char>(value.type));
      absl::StrAppend(bytes, value.bytes);
      break;
    case Kind::kString:
      AppendCounted(value.bytes, bytes);
      break;
  }
  return absl::OkStatus();
}

absl::Status AppendDictionary(const Attributes& attributes, int depth, std::string* bytes) {
  if (depth > kMaxDictionaryDepth) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the attributes are dictionaries nested more than ", kMaxDictionaryDepth, " deep"));
  }
  Append(attributes.values().size(), bytes);
  for (const auto& [name, value] : attributes.values()) {
    AppendCounted(name, bytes);
    absl::Status appended = AppendValue(value, depth, bytes);
    if (!appended.ok()) return appended;
  }
  return absl::OkStatus();
}

// ---- Reading

class SiteReader {
 public:
  explicit SiteReader(absl::string_view content) : bytes_("content", content) {}

  absl::StatusOr<CallSite> ReadSiteWithScratch() {
    const DescriptorReader at_the_size = bytes_;
    const absl::StatusOr<uint64_t> size = bytes_.ReadNumber(kU64Size, "the size of scratch memory");
    if (!size.ok()) return size.status();
    if (*size == 0 || *size > uint64_t{std::numeric_limits<int64_t>::max()}) {
      return at_the_size.Expected("the size of scratch memory, 1 to 2^63 - 1", absl::StrCat(*size));
    }
    absl::StatusOr<CallSite> site = ReadSite();
    if (site.ok()) site->scratch_bytes = *size;
    return site;
  }

  absl::StatusOr<CallSite> ReadSite() {
    CallSite site;
    site.api_version = ApiVersion::kTypedFfi;
    absl::StatusOr<std::vector<Shape>> operands = ReadLeaves("operands");
    if (!operands.ok()) return operands.status();
    site.operands = *std::move(operands);
    absl::StatusOr<std::vector<Shape>> results = ReadLeaves("results");
    if (!results.ok()) return results.status();
    site.result = Shape::MakeTuple(*std::move(results)).value();
    absl::StatusOr<Attributes> attributes = ReadDictionary(/*depth=*/1);
    if (!attributes.ok()) return attributes.status();
    site.attributes = *std::move(attributes);
    const absl::Status end = bytes_.ReadEnd();
    if (!end.ok()) return end;
    return site;
  }

 private:
  absl::StatusOr<std::vector<Shape>> ReadLeaves(absl::string_view what) {
    const absl::StatusOr<uint64_t> count = bytes_.ReadCount(kU64Size, /*smallest=*/1, what);
    if (!count.ok()) return count.status();
    std::vector<Shape> leaves;
    for (uint64_t i = 0; i < *count; ++i) {
      absl::StatusOr<Shape> leaf = ReadLeaf();
      if (!leaf.ok()) return leaf.status();
      leaves.push_back(*std::move(leaf));
    }
    return leaves;
  }

  absl::StatusOr<Shape> ReadLeaf() {
    const DescriptorReader at_the_leaf = bytes_;
    const absl::StatusOr<PrimitiveType> type = bytes_.PeekType("the type of a leaf");
    if (!type.ok()) return type.status();
    if (*type == PrimitiveType::kTuple) return bytes_.Expected("a leaf", "a tuple");
    bytes_.Skip(1);
    if (*type == PrimitiveType::kToken) return Shape::MakeToken();
    const absl::StatusOr<uint64_t> rank = bytes_.ReadCount(kU64Size, kU64Size, "dimensions");
    if (!rank.ok()) return rank.status();
    std::vector<int64_t> dimensions;
    for (uint64_t i = 0; i < *rank; ++i) {
      dimensions.push_back(
          static_cast<int64_t>(bytes_.ReadNumber(kU64Size, "a dimension").value()));
    }
    absl::StatusOr<Shape> array = Shape::MakeArray(*type, std::move(dimensions));
    if (!array.ok()) return at_the_leaf.Expected("an array", array.status().message());
    return array;
  }

  absl::StatusOr<Attributes> ReadDictionary(int depth) {
    if (depth > kMaxDictionaryDepth) {
      return bytes_.Expected(
          absl::StrCat("dictionaries nested at most ", kMaxDictionaryDepth, " deep"), "one more");
    }
    const absl::StatusOr<uint64_t> count =
        bytes_.ReadCount(kU64Size, kSmallestAttribute, "attributes");
    if (!count.ok()) return count.status();
    Attributes attributes;
    absl::string_view previous;
    for (uint64_t i = 0; i < *count; ++i) {
      const DescriptorReader at_the_name = bytes_;
      const absl::StatusOr<absl::string_view> name = ReadCounted("a name");
      if (!name.ok()) return name.status();
      if (i > 0 && *name <= previous) {
        return at_the_name.Expected("names that differ, in ascending order",
                                    absl::StrCat("\"", *name, "\" behind \"", previous, "\""));
      }
      const absl::Status value = ReadValue(*name, depth, &attributes);
      if (!value.ok()) return value;
      previous = *name;
    }
    return attributes;
  }

  absl::Status ReadValue(absl::string_view name, int depth, Attributes* attributes) {
    const absl::StatusOr<uint8_t> kind = bytes_.PeekByte("the kind of an attribute");
    if (!kind.ok()) return kind.status();
    if (*kind > static_cast<uint8_t>(Kind::kString)) {
      return bytes_.Expected("the kind of an attribute, 0 to 3", absl::StrCat(int{*kind}));
    }
    bytes_.Skip(1);
    switch (static_cast<Kind>(*kind)) {
      case Kind::kArray:
        return ReadArray(name, attributes);
      case Kind::kDictionary: {
        absl::StatusOr<Attributes> dictionary = ReadDictionary(depth + 1);
        if (!dictionary.ok()) return dictionary.status();
        attributes->SetDictionary(name, *std::move(dictionary));
        return absl::OkStatus();
      }
      case Kind::kScalar:
        return ReadScalar(name, attributes);
      case Kind::kString:
        break;
    }
    const absl::StatusOr<absl::string_view> text = ReadCounted("a string");
    if (!text.ok()) return text.status();
    attributes->SetString(name, *text);
    return absl::OkStatus();
  }

  absl::Status ReadScalar(absl::string_view name, Attributes* attributes) {
    const absl::StatusOr<PrimitiveType> type = ReadElementType();
    if (!type.ok()) return type.status();
    const absl::StatusOr<absl::string_view> element =
        bytes_.ReadBytes(AttributeElementBytes(*type), "a scalar");
    if (!element.ok()) return element.status();
    attributes->SetScalar(name, *type, element->data());
    return absl::OkStatus();
  }

  absl::Status ReadArray(absl::string_view name, Attributes* attributes) {
    const absl::StatusOr<PrimitiveType> type = ReadElementType();
    if (!type.ok()) return type.status();
    const size_t element = AttributeElementBytes(*type);
    const absl::StatusOr<uint64_t> count = bytes_.ReadCount(kU64Size, element, "elements");
    if (!count.ok()) return count.status();
    const absl::string_view elements = bytes_.ReadBytes(*count * element, "elements").value();
    attributes->SetArray(name, *type, elements.data(), *count);
    return absl::OkStatus();
  }

  absl::StatusOr<PrimitiveType> ReadElementType() {
    absl::StatusOr<PrimitiveType> type = bytes_.PeekType("the type of an element");
    if (!type.ok()) return type;
    if (!IsArrayElement(*type)) {
      return bytes_.Expected("the type of an element", PrimitiveTypeName(*type));
    }
    bytes_.Skip(1);
    return type;
  }

  absl::StatusOr<absl::string_view> ReadCounted(absl::string_view what) {
    const absl::StatusOr<uint64_t> size =
        bytes_.ReadCount(kU64Size, /*smallest=*/1, absl::StrCat("bytes of ", what));
    if (!size.ok()) return size.status();
    return bytes_.ReadBytes(*size, what);
  }

  // The count of a name's bytes, and the kind.
  static constexpr size_t kSmallestAttribute = kU64Size + 1;

  DescriptorReader bytes_;
};

}  // namespace

absl::StatusOr<std::string> EncodeTypedSiteDescriptor(const CallSite& site) {
  if (!site.opaque.empty()) {
    return absl::InvalidArgumentError(
        "the call site has an opaque and attributes: typed handlers get attributes and no opaque, "
        "untyped targets an opaque and no attributes");
  }
  std::vector<const Shape*> operands;
  for (const Shape& operand : site.operands) {
    const std::vector<const Shape*> leaves = operand.Leaves();
    operands.insert(operands.end(), leaves.begin(), leaves.end());
  }
  std::string bytes(site.scratch_bytes == 0 ? kTypedMagic : kScratchMagic);
  if (site.scratch_bytes != 0) Append(site.scratch_bytes, &bytes);
  AppendLeaves(operands, &bytes);
  AppendLeaves(site.result.Leaves(), &bytes);
  const absl::Status appended = AppendDictionary(site.attributes, /*depth=*/1, &bytes);
  if (!appended.ok()) return appended;
  return bytes;
}

bool IsTypedSiteDescriptor(absl::string_view bytes) {
  return absl::StartsWith(bytes, kTypedMagic) || absl::StartsWith(bytes, kScratchMagic);
}

absl::StatusOr<CallSite> DecodeTypedSiteDescriptor(absl::string_view bytes) {
  if (!IsTypedSiteDescriptor(bytes)) {
    return absl::InvalidArgumentError(
        "expected a site descriptor of version 2, which begins with bytes cb 00 73 69 74 65 00 02 "
        "(or 03, if the call gives scratch memory); make it of a call site with attributes, which "
        "may be empty");
  }
  SiteReader reader(bytes.substr(kMagicSize));
  return absl::StartsWith(bytes, kScratchMagic) ? reader.ReadSiteWithScratch() : reader.ReadSite();
}

}  // namespace callbridge
