// xla::ffi::Dictionary: attributes by name, all of a call's (`.Attrs()`) or those of a dictionary
// attribute.
#ifndef CALLBRIDGE_TYPED_FFI_BINDING_DICTIONARY_H_
#define CALLBRIDGE_TYPED_FFI_BINDING_DICTIONARY_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <string_view>

#include "callbridge/typed_ffi/binding/attributes.h"
#include "callbridge/typed_ffi/binding/decoding.h"
#include "callbridge/typed_ffi/binding/error.h"
#include "callbridge/typed_ffi/binding/explain.h"
#include "callbridge/typed_ffi/binding/hints.h"
#include "callbridge/typed_ffi/binding/names.h"
#include "callbridge/typed_ffi/binding/namespace.h"
#include "callbridge/typed_ffi/binding/text.h"
#include "callbridge/typed_ffi/binding/wanted.h"
#include "callbridge/typed_ffi/c_api.h"

CALLBRIDGE_FFI_NAMESPACE_BEGIN

// A view. The runtime owns names and values; valid until the handler returns or its Future is
// complete.
class Dictionary {
 public:
  // Iterates over the names, in their order.
  class Iterator {
   public:
    // What std::iterator_traits asks for.
    using iterator_category = std::forward_iterator_tag;
    using difference_type = ptrdiff_t;
    using value_type = std::string_view;
    using pointer = const std::string_view*;
    using reference = std::string_view;

    // Returns the name. Valid as long as the Dictionary's.
    std::string_view operator*() const { return internal::View(attrs_->names[index_]); }
    // Goes to the next name, in the order of the call's attributes.
    Iterator& operator++() {
      ++index_;
      return *this;
    }
    Iterator operator++(int) {
      Iterator before = *this;
      ++index_;
      return before;
    }
    // Compares places in one Dictionary.
    bool operator==(const Iterator& other) const { return index_ == other.index_; }
    bool operator!=(const Iterator& other) const { return index_ != other.index_; }

   private:
    friend class Dictionary;
    Iterator(const XLA_FFI_Attrs* attrs, int64_t index) : attrs_(attrs), index_(index) {}

    const XLA_FFI_Attrs* attrs_;
    int64_t index_;
  };

  // Borrows `attrs`, which is not null.
  explicit Dictionary(const XLA_FFI_Attrs* attrs) : attrs_(attrs) {}

  // Returns the number of attributes.
  size_t size() const { return attrs_->size > 0 ? static_cast<size_t>(attrs_->size) : 0; }
  // Returns whether there are none.
  bool empty() const { return size() == 0; }
  // Iterates over the names.
  Iterator begin() const { return Iterator(attrs_, 0); }
  Iterator end() const { return Iterator(attrs_, static_cast<int64_t>(size())); }

  // Whether there is an attribute of that name.
  bool contains(std::string_view name) const { return Find(name) >= 0; }

  // Whether there is an attribute of that name and type.
  template <typename T>
  bool contains(std::string_view name) const {
    const int64_t at = Find(name);
    return at >= 0 && Isa<T>(at);
  }

  // Whether the attribute there is a T.
  template <typename T>
  bool isa(const Iterator& it) const {
    return Isa<T>(it.index_);
  }

  // Returns the attribute, or an INTERNAL error if there is no such attribute or it is no T.
  template <typename T>
  XLA_FFI_ATTRIBUTE_ALWAYS_INLINE ErrorOr<typename AttrDecoding<T>::Type> get(
      std::string_view name) const {
    const int64_t at = Find(name);
    if (XLA_FFI_PREDICT_FALSE(at < 0)) return NoAttribute(name);
    return Get<T>(at);
  }
  template <typename T>
  XLA_FFI_ATTRIBUTE_ALWAYS_INLINE ErrorOr<typename AttrDecoding<T>::Type> get(
      const Iterator& it) const {
    return Get<T>(it.index_);
  }

 private:
  // Up to this size a linear search is faster.
  static constexpr int64_t kFew = 16;

#ifdef __CUDACC__  // nvcc warns of the loop below, since it takes no size for a constant
#pragma nv_diagnostic push
#pragma nv_diag_suppress 128
#endif
  // Returns -1 if there is none. The names of an empty dictionary may be null.
  XLA_FFI_ATTRIBUTE_ALWAYS_INLINE int64_t Find(std::string_view name) const {
    const int64_t size = attrs_->size;
    if (XLA_FFI_PREDICT_FALSE(size > kFew)) return FindAmongMany(name);
    XLA_FFI_ByteSpan* const* names = attrs_->names;
    if (!__builtin_constant_p(name.size())) return internal::FindName(names, size, name);
    for (int64_t i = 0; i < size; ++i) {
      if (internal::IsNamed(names[i], name)) return i;
    }
    return -1;
  }
#ifdef __CUDACC__
#pragma nv_diagnostic pop
#endif

  // XLA sorts the names. If they are not sorted, finds one by one what a binary search misses.
  XLA_FFI_ATTRIBUTE_NEVER_INLINE int64_t FindAmongMany(std::string_view name) const {
    int64_t low = 0;
    int64_t high = attrs_->size;
    while (low < high) {
      const int64_t middle = low + (high - low) / 2;
      const int order = internal::View(attrs_->names[middle]).compare(name);
      if (order == 0) return middle;
      if (order < 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return internal::FindName(attrs_->names, attrs_->size, name);
  }

  template <typename T>
  bool Isa(int64_t at) const {
    return AttrDecoding<T>::Isa(attrs_->types[at], attrs_->attrs[at]);
  }

  template <typename T>
  XLA_FFI_ATTRIBUTE_ALWAYS_INLINE ErrorOr<typename AttrDecoding<T>::Type> Get(int64_t at) const {
    using Decoding = AttrDecoding<T>;
    const XLA_FFI_AttrType type = attrs_->types[at];
    void* attr = attrs_->attrs[at];
    if constexpr (internal::kIsDirect<Decoding>) {
      if (XLA_FFI_PREDICT_FALSE(!Decoding::Isa(type, attr))) {
        static constexpr internal::Wanted kWanted = Decoding::kWanted;
        return NotWanted(kWanted, at);
      }
      return Decoding::Get(attr);
    } else {
      DiagnosticEngine diagnostic;
      auto value = Decoding::Decode(type, attr, diagnostic);
      if (XLA_FFI_PREDICT_FALSE(!value.has_value())) return NotDecoded(diagnostic, at);
      return std::move(*value);
    }
  }

  CALLBRIDGE_FFI_COLD Error NoAttribute(std::string_view name) const {
    internal::Text text;
    text << "Unexpected attribute: " << name << " not found; there are: " << *attrs_;
    return Error::Internal(text.c_str());
  }

  CALLBRIDGE_FFI_COLD Error NotWanted(const internal::Wanted& wanted, int64_t at) const {
    DiagnosticEngine diagnostic;
    internal::ExplainAttr(wanted, attrs_->types[at], attrs_->attrs[at], diagnostic);
    return NotDecoded(diagnostic, at);
  }

  CALLBRIDGE_FFI_COLD Error NotDecoded(const DiagnosticEngine& diagnostic, int64_t at) const {
    internal::Text text;
    text << "attribute " << internal::View(attrs_->names[at]) << ": " << diagnostic.Result();
    return Error::Internal(text.c_str());
  }

  const XLA_FFI_Attrs* attrs_;
};

template <>
struct AttrDecoding<Dictionary>
    : internal::DirectAttrDecoding<AttrDecoding<Dictionary>, Dictionary> {
  CALLBRIDGE_FFI_HIDDEN static constexpr internal::Wanted kWanted = {
      internal::Wanted::Kind::kDictionary};

  XLA_FFI_ATTRIBUTE_ALWAYS_INLINE static bool Isa(XLA_FFI_AttrType type, const void*) {
    return type == XLA_FFI_AttrType_DICTIONARY;
  }
  XLA_FFI_ATTRIBUTE_ALWAYS_INLINE static Dictionary Get(const void* attr) {
    return Dictionary(static_cast<const XLA_FFI_Attrs*>(attr));
  }
};

CALLBRIDGE_FFI_NAMESPACE_END

#endif  // CALLBRIDGE_TYPED_FFI_BINDING_DICTIONARY_H_
