// CALLBRIDGE_FROZEN_n asserts the size of a struct that compiled code bakes in, and the offsets of
// its `n` fields, in bytes:
//
//   CALLBRIDGE_FROZEN_2(Pair, 16, first, 0, second, 8);
//
// XLA's `struct_size` and `extension_start` need not be listed: if all other fields are in place,
// so are they. Checked in C++; expands to nothing in C.
#ifndef CALLBRIDGE_TYPED_FFI_FROZEN_H_
#define CALLBRIDGE_TYPED_FFI_FROZEN_H_

#include <stddef.h>

#ifdef __cplusplus
#define CALLBRIDGE_FROZEN(type, size) \
  static_assert(sizeof(type) == (size), #type " is frozen, but has another size")
#define CALLBRIDGE_FROZEN_AT(type, field, offset) \
  static_assert(offsetof(type, field) == (offset), #type " is frozen, but " #field " has moved")
#else
#define CALLBRIDGE_FROZEN(type, size) struct callbridge_frozen
#define CALLBRIDGE_FROZEN_AT(type, field, offset) struct callbridge_frozen
#endif

#define CALLBRIDGE_FROZEN_1(type, size, field, offset) \
  CALLBRIDGE_FROZEN(type, size);                       \
  CALLBRIDGE_FROZEN_AT(type, field, offset)
#define CALLBRIDGE_FROZEN_2(type, size, field, offset, ...) \
  CALLBRIDGE_FROZEN_AT(type, field, offset);                \
  CALLBRIDGE_FROZEN_1(type, size, __VA_ARGS__)
#define CALLBRIDGE_FROZEN_3(type, size, field, offset, ...) \
  CALLBRIDGE_FROZEN_AT(type, field, offset);                \
  CALLBRIDGE_FROZEN_2(type, size, __VA_ARGS__)
#define CALLBRIDGE_FROZEN_4(type, size, field, offset, ...) \
  CALLBRIDGE_FROZEN_AT(type, field, offset);                \
  CALLBRIDGE_FROZEN_3(type, size, __VA_ARGS__)
#define CALLBRIDGE_FROZEN_5(type, size, field, offset, ...) \
  CALLBRIDGE_FROZEN_AT(type, field, offset);                \
  CALLBRIDGE_FROZEN_4(type, size, __VA_ARGS__)
#define CALLBRIDGE_FROZEN_6(type, size, field, offset, ...) \
  CALLBRIDGE_FROZEN_AT(type, field, offset);                \
  CALLBRIDGE_FROZEN_5(type, size, __VA_ARGS__)
#define CALLBRIDGE_FROZEN_7(type, size, field, offset, ...) \
  CALLBRIDGE_FROZEN_AT(type, field, offset);                \
  CALLBRIDGE_FROZEN_6(type, size, __VA_ARGS__)
#define CALLBRIDGE_FROZEN_8(type, size, field, offset, ...) \
  CALLBRIDGE_FROZEN_AT(type, field, offset);                \
  CALLBRIDGE_FROZEN_7(type, size, __VA_ARGS__)

#endif  // CALLBRIDGE_TYPED_FFI_FROZEN_H_
