#include "callbridge/typed_ffi/host/attributes.h"

#include <cstring>

namespace callbridge {
namespace host {
namespace {

using Kind = Attributes::Value::Kind;

XLA_FFI_DataType DataType(PrimitiveType type) { return static_cast<XLA_FFI_DataType>(type); }

XLA_FFI_AttrType AttrType(Kind kind) {
  switch (kind) {
    case Kind::kArray:
      return XLA_FFI_AttrType_ARRAY;
    case Kind::kDictionary:
      return XLA_FFI_AttrType_DICTIONARY;
    case Kind::kScalar:
      return XLA_FFI_AttrType_SCALAR;
    case Kind::kString:
      break;
  }
  return XLA_FFI_AttrType_STRING;
}

}  // namespace

EncodedAttributes::EncodedAttributes(const Attributes& attributes)
    : entries_(new Entry[attributes.values().size()]) {
  const size_t size = attributes.values().size();
  types_.reserve(size);
  names_.reserve(size);
  values_.reserve(size);
  Entry* entry = entries_.get();
  for (const auto& [name, value] : attributes.values()) Encode(*entry++, name, value);
  attrs_ = {XLA_FFI_Attrs_STRUCT_SIZE,
            nullptr,
            static_cast<int64_t>(size),
            types_.data(),
            names_.data(),
            values_.data()};
}

void EncodedAttributes::Encode(Entry& entry, const std::string& name,
                               const Attributes::Value& value) {
  entry.name = name;
  entry.name_span = {entry.name.data(), entry.name.size()};
  // A separate allocation, which is aligned for every element type and lets sanitizers check its
  // bounds.
  entry.bytes.reset(new char[value.bytes.size()]);
  char* bytes = entry.bytes.get();
  // NOLINTNEXTLINE(bugprone-not-null-terminated-result): a size goes with them.
  if (!value.bytes.empty()) std::memcpy(bytes, value.bytes.data(), value.bytes.size());
  types_.push_back(AttrType(value.kind));
  names_.push_back(&entry.name_span);
  switch (value.kind) {
    case Kind::kScalar:
      entry.scalar = {DataType(value.type), bytes};
      values_.push_back(&entry.scalar);
      break;
    case Kind::kArray:
      entry.array = {DataType(value.type), value.size, bytes};
      values_.push_back(&entry.array);
      break;
    case Kind::kString:
      entry.string = {bytes, value.bytes.size()};
      values_.push_back(&entry.string);
      break;
    case Kind::kDictionary:
      entry.dictionary = std::make_unique<const EncodedAttributes>(*value.dictionary);
      values_.push_back(const_cast<XLA_FFI_Attrs*>(&entry.dictionary->get()));
      break;
  }
}

const XLA_FFI_Attrs& EncodedAttributes::None() {
  static constexpr XLA_FFI_Attrs kNone = {
      XLA_FFI_Attrs_STRUCT_SIZE, nullptr, 0, nullptr, nullptr, nullptr};
  return kNone;
}

}  // namespace host
}  // namespace callbridge
