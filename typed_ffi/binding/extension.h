// Extension<T>: what a runtime attaches to a call, with a type and a version of its own,
// `.Ctx<Extension<MyExtension>>()`. Record and Collectives are extensions.
//
//   struct MyExtension {
//     using CExtension = MyCExtension;       // a C struct that begins with an XLA_FFI_Extension
//     using Type = MyContext;                // what the handler's function is given
//     static constexpr auto kName = "MyExtension";
//     static constexpr int64_t kExtensionType = 4711;
//     static constexpr int32_t kMajorVersion = 1;
//     static constexpr int32_t kMinorVersion = 0;
//     static Type Create(const XLA_FFI_Api* api, const CExtension* extension);
//     // Optional; without it the two versions must be equal.
//     static bool Support(int32_t major_version, int32_t minor_version);
//   };
#ifndef CALLBRIDGE_TYPED_FFI_BINDING_EXTENSION_H_
#define CALLBRIDGE_TYPED_FFI_BINDING_EXTENSION_H_

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>

#include "callbridge/typed_ffi/binding/api_functions.h"
#include "callbridge/typed_ffi/binding/decoding.h"
#include "callbridge/typed_ffi/binding/hints.h"
#include "callbridge/typed_ffi/binding/namespace.h"
#include "callbridge/typed_ffi/binding/requests.h"
#include "callbridge/typed_ffi/c_api.h"

CALLBRIDGE_FFI_NAMESPACE_BEGIN

// An extension of the runtime, a T::Type.
template <typename T>
struct Extension {};

namespace internal {

template <typename T, typename = void>
inline constexpr bool kChoosesVersions = false;
template <typename T>
inline constexpr bool kChoosesVersions<T, std::void_t<decltype(T::Support(0, 0))>> = true;

template <typename T>
bool SupportsVersion(const XLA_FFI_ExtensionId& id) {
  if constexpr (kChoosesVersions<T>) {
    return T::Support(id.major_version, id.minor_version);
  } else {
    return id.major_version == T::kMajorVersion && id.minor_version == T::kMinorVersion;
  }
}

}  // namespace internal

template <typename T>
struct CtxDecoding<Extension<T>> {
  using Type = typename T::Type;
  static constexpr int kMinorVersion = internal::MinorVersionOf(internal::ApiFunction::kExtensions);

  // Reports UNIMPLEMENTED if the extension is missing or has another version.
  static std::optional<Type> Decode(const XLA_FFI_Api* api, XLA_FFI_InvokeContext* ctx,
                                    DiagnosticEngine& diagnostic) {
    auto args = internal::MakeArgs<XLA_FFI_InvokeContext_FindExtension_Args>(
        XLA_FFI_InvokeContext_FindExtension_Args_STRUCT_SIZE);
    args.ctx = ctx;
    args.extension_type = T::kExtensionType;
    if (!internal::Ask<internal::ApiFunction::kExtensions, XLA_FFI_InvokeContext_FindExtension>(
            api, args, T::kName, T::kName, diagnostic)) {
      return std::nullopt;
    }
    if (XLA_FFI_PREDICT_FALSE(args.extension == nullptr)) {
      return diagnostic.EmitUnimplemented("Extension ")
             << T::kName << ": the runtime has not attached it to this call";
    }
    const XLA_FFI_ExtensionId& id = args.extension->id;
    if (XLA_FFI_PREDICT_FALSE(!internal::SupportsVersion<T>(id))) {
      return diagnostic.EmitUnimplemented("Extension ")
             << T::kName << ": the handler was built for version "
             << std::to_string(T::kMajorVersion) << "." << std::to_string(T::kMinorVersion)
             << " of it, the runtime has " << std::to_string(id.major_version) << "."
             << std::to_string(id.minor_version);
    }
    return T::Create(api, reinterpret_cast<const typename T::CExtension*>(args.extension));
  }
};

// Returns the header of an extension's C struct, for callers that attach one.
template <typename T>
XLA_FFI_Extension MakeExtensionHeader() {
  XLA_FFI_Extension header = {};
  header.struct_size = sizeof(typename T::CExtension);
  header.id.extension_type = T::kExtensionType;
  header.id.major_version = T::kMajorVersion;
  header.id.minor_version = T::kMinorVersion;
  return header;
}

CALLBRIDGE_FFI_NAMESPACE_END

#endif  // CALLBRIDGE_TYPED_FFI_BINDING_EXTENSION_H_
