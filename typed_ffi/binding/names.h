// The names of attributes that a handler or a struct wants, known at compile time. A call's
// attributes are sorted by name, so that the place of each is known too, and finding all of them
// takes one comparison each.
#ifndef CALLBRIDGE_TYPED_FFI_BINDING_NAMES_H_
#define CALLBRIDGE_TYPED_FFI_BINDING_NAMES_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "callbridge/typed_ffi/binding/hints.h"
#include "callbridge/typed_ffi/binding/namespace.h"
#include "callbridge/typed_ffi/c_api.h"

CALLBRIDGE_FFI_NAMESPACE_BEGIN
namespace internal {

// `n` names in the order of the parameters. A name may occur twice.
template <size_t n>
struct Names {
  constexpr Names() = default;

  // Appends a name to `names`, for n > 0.
  constexpr Names(const Names<n - 1>& names, std::string_view last) {
    for (size_t i = 0; i + 1 < n; ++i) name[i] = names.name[i];
    name[n - 1] = last;
  }

  // The number of different names, which is the number of attributes that a call must have.
  constexpr size_t CountUnique() const {
    size_t count = 0;
    for (size_t i = 0; i < n; ++i) count += IsFirst(i);
    return count;
  }

  // The index of name `i` among the call's attributes.
  constexpr size_t PlaceOf(size_t i) const {
    size_t place = 0;
    for (size_t j = 0; j < n; ++j) place += IsFirst(j) && name[j] < name[i];
    return place;
  }

  std::string_view name[n == 0 ? 1 : n];

 private:
  constexpr bool IsFirst(size_t i) const {
    for (size_t j = 0; j < i; ++j) {
      if (name[j] == name[i]) return false;
    }
    return true;
  }
};

template <>
struct Names<0> {
  constexpr size_t CountUnique() const { return 0; }

  std::string_view name[1];
};

// The places of all names, computed once.
template <size_t n>
struct Places {
  constexpr explicit Places(const Names<n>& names) : count(names.CountUnique()) {
    for (size_t i = 0; i < n; ++i) place[i] = names.PlaceOf(i);
  }

  size_t count;
  size_t place[n == 0 ? 1 : n] = {};
};

template <>
struct Places<0> {
  constexpr explicit Places(const Names<0>&) {}

  size_t count = 0;
  size_t place[1] = {};
};

// A name that is no literal. Lives as long as the process; equal names are kept once.
struct InternedName {
  std::string name;
  const InternedName* next;
};
CALLBRIDGE_FFI_HIDDEN inline std::atomic<const InternedName*> kept_names = nullptr;

CALLBRIDGE_FFI_COLD inline std::string_view KeepName(const std::string& name) {
  const InternedName* first = kept_names.load(std::memory_order_acquire);
  for (const InternedName* kept = first; kept != nullptr; kept = kept->next) {
    if (kept->name == name) return kept->name;
  }
  auto* kept = new InternedName{name, first};
  while (!kept_names.compare_exchange_weak(kept->next, kept, std::memory_order_acq_rel)) {
  }
  return kept->name;
}

template <typename Word>
XLA_FFI_ATTRIBUTE_ALWAYS_INLINE inline bool IsSameWord(const char* a, const char* b) {
  Word x, y;
  memcpy(&x, a, sizeof(Word));
  memcpy(&y, b, sizeof(Word));
  return x == y;
}

// memcmp() == 0. If the compiler knows `size`, and with it `b`, it takes one or two comparisons
// with constants, and three or four up to 32 bytes; words may overlap.
XLA_FFI_ATTRIBUTE_ALWAYS_INLINE inline bool IsSame(const char* a, const char* b, size_t size) {
  if (!__builtin_constant_p(size) || size > 32) return memcmp(a, b, size) == 0;
  if (size > 8) {
    return IsSameWord<uint64_t>(a, b) && (size <= 16 || IsSameWord<uint64_t>(a + 8, b + 8)) &&
           (size <= 24 || IsSameWord<uint64_t>(a + 16, b + 16)) &&
           IsSameWord<uint64_t>(a + size - 8, b + size - 8);
  }
  if (size == 8) return IsSameWord<uint64_t>(a, b);
  if (size >= 4) {
    return IsSameWord<uint32_t>(a, b) &&
           (size == 4 || IsSameWord<uint32_t>(a + size - 4, b + size - 4));
  }
  if (size >= 2) {
    return IsSameWord<uint16_t>(a, b) && (size == 2 || a[2] == b[2]);
  }
  return size == 0 || a[0] == b[0];
}

// `name` may be null in a broken frame.
XLA_FFI_ATTRIBUTE_ALWAYS_INLINE inline bool IsNamed(const XLA_FFI_ByteSpan* name,
                                                    std::string_view wanted) {
  return name != nullptr && name->len == wanted.size() && name->ptr != nullptr &&
         IsSame(name->ptr, wanted.data(), wanted.size());
}

// Returns the index of the first name that equals `wanted`, -1 if none does. Compares a name of
// `wanted`'s length by its first and its last Word, which overlap up to twice a Word's size; most
// similar names differ there.
template <typename Word>
XLA_FFI_ATTRIBUTE_ALWAYS_INLINE inline int64_t FindByWords(XLA_FFI_ByteSpan* const* names,
                                                           int64_t count, std::string_view wanted) {
  const size_t size = wanted.size();
  const size_t last_at = size - sizeof(Word);
  Word first, last;
  memcpy(&first, wanted.data(), sizeof(Word));
  memcpy(&last, wanted.data() + last_at, sizeof(Word));
  for (int64_t i = 0; i < count; ++i) {
    const XLA_FFI_ByteSpan* const name = names[i];
    if (name == nullptr || name->len != size || name->ptr == nullptr) continue;
    Word word;
    memcpy(&word, name->ptr + last_at, sizeof(Word));
    if (word != last) continue;
    memcpy(&word, name->ptr, sizeof(Word));
    if (word != first) continue;
    if (size <= 2 * sizeof(Word) || memcmp(name->ptr, wanted.data(), size) == 0) return i;
  }
  return -1;
}

// Does the same for a name that is unknown at compile time.
XLA_FFI_ATTRIBUTE_NEVER_INLINE inline int64_t FindName(XLA_FFI_ByteSpan* const* names,
                                                       int64_t count, std::string_view wanted) {
  if (wanted.size() >= 8) return FindByWords<uint64_t>(names, count, wanted);
  if (wanted.size() >= 4) return FindByWords<uint32_t>(names, count, wanted);
  if (wanted.size() >= 2) return FindByWords<uint16_t>(names, count, wanted);
  for (int64_t i = 0; i < count; ++i) {
    if (IsNamed(names[i], wanted)) return i;
  }
  return -1;
}

}  // namespace internal
CALLBRIDGE_FFI_NAMESPACE_END

#endif  // CALLBRIDGE_TYPED_FFI_BINDING_NAMES_H_
