#include "callbridge/typed_ffi/host/attributes.h"

#include <cstring>
#include <utility>

namespace callbridge {
namespace host {
namespace {

size_t BytesOf(PrimitiveType type) { return (BitWidth(type) + 7) / 8; }

std::string Bytes(const void* data, size_t size) {
  return size == 0 ? std::string() : std::string(static_cast<const char*>(data), size);
}

XLA_FFI_DataType DataType(PrimitiveType type) { return static_cast<XLA_FFI_DataType>(type); }

}  // namespace

Attributes& Attributes::SetScalar(absl::string_view name, PrimitiveType type, const void* value) {
  values_[std::string(name)] = {XLA_FFI_AttrType_SCALAR, DataType(type), 1,
                                Bytes(value, BytesOf(type)), nullptr};
  return *this;
}

Attributes& Attributes::SetArray(absl::string_view name, PrimitiveType type, const void* data,
                                 size_t size) {
  values_[std::string(name)] = {XLA_FFI_AttrType_ARRAY, DataType(type), size,
                                Bytes(data, size * BytesOf(type)), nullptr};
  return *this;
}

Attributes& Attributes::SetString(absl::string_view name, absl::string_view text) {
  values_[std::string(name)] = {XLA_FFI_AttrType_STRING, XLA_FFI_DataType_INVALID, 0,
                                std::string(text), nullptr};
  return *this;
}

Attributes& Attributes::SetDictionary(absl::string_view name, Attributes dictionary) {
  values_[std::string(name)] = {XLA_FFI_AttrType_DICTIONARY, XLA_FFI_DataType_INVALID, 0, "",
                                std::make_shared<const Attributes>(std::move(dictionary))};
  return *this;
}

EncodedAttributes::EncodedAttributes(const Attributes& attributes)
    : entries_(new Entry[attributes.values_.size()]) {
  const size_t size = attributes.values_.size();
  types_.reserve(size);
  names_.reserve(size);
  values_.reserve(size);
  Entry* entry = entries_.get();
  for (const auto& [name, value] : attributes.values_) Encode(*entry++, name, value);
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
  // Of its own, since new aligns it for every element type and sanitizers then see its bounds.
  entry.bytes.reset(new char[value.bytes.size()]);
  char* bytes = entry.bytes.get();
  if (!value.bytes.empty()) std::memcpy(bytes, value.bytes.data(), value.bytes.size());
  types_.push_back(value.kind);
  names_.push_back(&entry.name_span);
  switch (value.kind) {
    case XLA_FFI_AttrType_SCALAR:
      entry.scalar = {value.type, bytes};
      values_.push_back(&entry.scalar);
      break;
    case XLA_FFI_AttrType_ARRAY:
      entry.array = {value.type, value.size, bytes};
      values_.push_back(&entry.array);
      break;
    case XLA_FFI_AttrType_STRING:
      entry.string = {bytes, value.bytes.size()};
      values_.push_back(&entry.string);
      break;
    case XLA_FFI_AttrType_DICTIONARY:
      entry.dictionary = std::make_unique<const EncodedAttributes>(*value.dictionary);
      values_.push_back(const_cast<XLA_FFI_Attrs*>(&entry.dictionary->get()));
      break;
  }
}

const XLA_FFI_Attrs& EncodedAttributes::None() {
  static const auto& none = *new EncodedAttributes(Attributes());
  return none.get();
}

}  // namespace host
}  // namespace callbridge
