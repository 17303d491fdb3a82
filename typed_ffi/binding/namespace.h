// The namespace of the binding's types: users write xla::ffi, and symbols contain callbridge, so
// that a process may also hold a real XLA. Specializations in `namespace xla::ffi` are found, since
// an inline namespace is part of the one around it.
//
//   CALLBRIDGE_FFI_NAMESPACE_BEGIN
//   class Error { ... };
//   CALLBRIDGE_FFI_NAMESPACE_END
//
// The types are not hidden: a library could not export functions that take them, and g++ would warn
// of every user's struct with such a field. Their internals are hidden (CALLBRIDGE_FFI_HIDDEN), and
// the namespace gets a new number when a type gets a new layout.
#ifndef CALLBRIDGE_TYPED_FFI_BINDING_NAMESPACE_H_
#define CALLBRIDGE_TYPED_FFI_BINDING_NAMESPACE_H_

#define CALLBRIDGE_FFI_NAMESPACE_BEGIN \
  namespace xla::ffi {                 \
  inline namespace callbridge_v1 {

#define CALLBRIDGE_FFI_NAMESPACE_END \
  } /* namespace callbridge_v1 */    \
  } /* namespace xla::ffi */

#endif  // CALLBRIDGE_TYPED_FFI_BINDING_NAMESPACE_H_
