#include "callbridge/abi/attributes.h"

#include <utility>

namespace callbridge {
namespace {

using Kind = Attributes::Value::Kind;

std::string Bytes(const void* data, size_t size) {
  return size == 0 ? std::string() : std::string(static_cast<const char*>(data), size);
}

}  // namespace

size_t AttributeElementBytes(PrimitiveType type) { return (BitWidth(type) + 7) / 8; }

Attributes& Attributes::SetScalar(absl::string_view name, PrimitiveType type, const void* value) {
  values_[std::string(name)] = {Kind::kScalar, type, 1, Bytes(value, AttributeElementBytes(type)),
                                nullptr};
  return *this;
}

Attributes& Attributes::SetArray(absl::string_view name, PrimitiveType type, const void* data,
                                 size_t size) {
  values_[std::string(name)] = {Kind::kArray, type, size,
                                Bytes(data, size * AttributeElementBytes(type)), nullptr};
  return *this;
}

Attributes& Attributes::SetString(absl::string_view name, absl::string_view text) {
  values_[std::string(name)] = {Kind::kString, PrimitiveType::kInvalid, 0, std::string(text),
                                nullptr};
  return *this;
}

Attributes& Attributes::SetDictionary(absl::string_view name, Attributes dictionary) {
  values_[std::string(name)] = {Kind::kDictionary, PrimitiveType::kInvalid, 0, "",
                                std::make_shared<const Attributes>(std::move(dictionary))};
  return *this;
}

Attributes& Attributes::SetMissing(const Attributes& others) {
  values_.insert(others.values_.begin(), others.values_.end());
  return *this;
}

}  // namespace callbridge
