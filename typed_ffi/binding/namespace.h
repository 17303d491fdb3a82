// The namespace that the binding's types live in: users write xla::ffi, the symbols say callbridge,
// so that a process that also holds a real XLA has no clash. Users' specialisations in `namespace
// xla::ffi` are found, since an inline namespace is part of the one around it.
//
//   CALLBRIDGE_FFI_NAMESPACE_BEGIN
//   class Error { ... };
//   CALLBRIDGE_FFI_NAMESPACE_END
//
// The types are not hidden: a library that exports functions which take them could not, and g++
// warns of every user's struct that has one as a field. What lies behind them is
// (CALLBRIDGE_FFI_HIDDEN), and the namespace gets a new number when a type gets a new layout.
#ifndef CALLBRIDGE_TYPED_FFI_BINDING_NAMESPACE_H_
#define CALLBRIDGE_TYPED_FFI_BINDING_NAMESPACE_H_

#define CALLBRIDGE_FFI_NAMESPACE_BEGIN \
  namespace xla::ffi {                 \
  inline namespace callbridge_v1 {

#define CALLBRIDGE_FFI_NAMESPACE_END \
  } /* namespace callbridge_v1 */    \
  } /* namespace xla::ffi */

#endif  // CALLBRIDGE_TYPED_FFI_BINDING_NAMESPACE_H_
