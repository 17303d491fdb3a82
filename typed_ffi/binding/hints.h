// Compiler hints: which way a branch goes, and what to inline. The names are XLA's, since handlers
// use them too.
#ifndef CALLBRIDGE_TYPED_FFI_BINDING_HINTS_H_
#define CALLBRIDGE_TYPED_FFI_BINDING_HINTS_H_

#define XLA_FFI_ATTRIBUTE_ALWAYS_INLINE __attribute__((always_inline))
#define XLA_FFI_ATTRIBUTE_NEVER_INLINE __attribute__((noinline))

#define XLA_FFI_PREDICT_FALSE(x) (__builtin_expect(!!(x), false))
#define XLA_FFI_PREDICT_TRUE(x) (__builtin_expect(!!(x), true))

// For functions and tables of the binding: each library has and uses its own copy.
#define CALLBRIDGE_FFI_HIDDEN __attribute__((visibility("hidden")))

// For code that a successful call does not run: keeps it out of line and small.
#define CALLBRIDGE_FFI_COLD __attribute__((noinline, cold, visibility("hidden")))

#endif  // CALLBRIDGE_TYPED_FFI_BINDING_HINTS_H_
