#include "callbridge/pjrt/plugin.h"

#include <cstddef>
#include <deque>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "callbridge/abi/table_lock.h"

namespace callbridge {
namespace pjrt {
namespace {

// A chain that is longer is taken for a cycle. XLA's plugins have a dozen.
constexpr int kMostExtensions = 1000;

bool IsAligned(const void* address) {
  return reinterpret_cast<uintptr_t>(address) % alignof(void*) == 0;
}

// Returns the extension's field, null or false if the extension ends before it.
template <typename Extension, typename Field>
Field FieldOf(const PJRT_Extension_Base& base, Field Extension::*field) {
  const auto& extension = reinterpret_cast<const Extension&>(base);
  const auto* end = reinterpret_cast<const char*>(&(extension.*field) + 1);
  return end - reinterpret_cast<const char*>(&base) <= static_cast<ptrdiff_t>(base.struct_size)
             ? extension.*field
             : Field{};
}

absl::Status CheckTable(const PJRT_Api* api) {
  if (!IsAligned(api)) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "the PJRT_Api is at %p, which is not a multiple of %d", api, alignof(PJRT_Api)));
  }
  if (api->struct_size < sizeof(PJRT_Api)) {
    return absl::InvalidArgumentError(absl::StrCat("PJRT_Api.struct_size is ", api->struct_size,
                                                   ", but must be at least ", sizeof(PJRT_Api),
                                                   ": pass what GetPjrtApi() returns"));
  }
  const PJRT_Api_Version& version = api->pjrt_api_version;
  if (version.struct_size < sizeof(PJRT_Api_Version)) {
    return absl::InvalidArgumentError(absl::StrCat("PJRT_Api.pjrt_api_version.struct_size is ",
                                                   version.struct_size, ", but must be at least ",
                                                   sizeof(PJRT_Api_Version)));
  }
  if (VersionOfPlugin(version) == nullptr) {
    return absl::UnimplementedError(absl::StrFormat(
        "the plugin has the PJRT API %d.%d, but callbridge knows the API from %d.%d (jaxlib "
        "0.4.30) on, up to the next major version",
        version.major_version, version.minor_version, kMajorVersion, kOldestPlugin.since));
  }
  if (api->PJRT_Error_Destroy == nullptr || api->PJRT_Error_Message == nullptr ||
      api->PJRT_Error_GetCode == nullptr) {
    return absl::InvalidArgumentError(
        "the PJRT_Api lacks PJRT_Error_Destroy, PJRT_Error_Message or PJRT_Error_GetCode");
  }
  return absl::OkStatus();
}

// Calls visit(extension) for each extension, in order.
template <typename Visit>
absl::Status WalkExtensions(const PJRT_Extension_Base* first, Visit visit) {
  int number = 0;
  for (const PJRT_Extension_Base* extension = first; extension != nullptr;
       extension = extension->next, ++number) {
    if (number == kMostExtensions) {
      return absl::InvalidArgumentError(absl::StrCat(
          "the plugin's chain of extensions has a cycle: it has more than ", kMostExtensions));
    }
    if (!IsAligned(extension)) {
      return absl::InvalidArgumentError(
          absl::StrFormat("the plugin's extension %d is at %p, which is not a multiple of %d",
                          number, extension, alignof(PJRT_Extension_Base)));
    }
    if (extension->struct_size < sizeof(PJRT_Extension_Base)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "the plugin's extension ", number, " has struct_size ", extension->struct_size,
          ", but must have at least ", sizeof(PJRT_Extension_Base)));
    }
    visit(*extension);
  }
  return absl::OkStatus();
}

// Lives as long as the process, since the plugin may not copy it.
const PJRT_FFI_Type_Info* KeptInfo(void (*deleter)(void*)) {
  const TableLock lock;
  static auto& infos = *new std::deque<PJRT_FFI_Type_Info>;
  infos.push_back({deleter, nullptr, nullptr});
  return &infos.back();
}

}  // namespace

std::string Plugin::version_text() const {
  const PJRT_Api_Version& version = api_->pjrt_api_version;
  return absl::StrCat(version.major_version, ".", version.minor_version);
}

absl::StatusOr<Plugin> Plugin::Open(const PJRT_Api* api) {
  absl::Status valid = CheckTable(api);
  if (!valid.ok()) return valid;
  Plugin plugin(api);
  bool has_gpu = false;
  bool has_ffi = false;
  valid = WalkExtensions(api->extension_start, [&](const PJRT_Extension_Base& extension) {
    if (extension.type == PJRT_Extension_Type_Gpu_Custom_Call && !has_gpu) {
      has_gpu = true;
      plugin.gpu_ = FieldOf(extension, &PJRT_Gpu_Custom_Call::custom_call);
      plugin.gpu_handles_traits_ =
          FieldOf(extension, &PJRT_Gpu_Custom_Call::custom_call_handles_traits);
    } else if (extension.type == PJRT_Extension_Type_FFI && !has_ffi) {
      has_ffi = true;
      plugin.register_type_ = FieldOf(extension, &PJRT_FFI_Extension::type_register);
      plugin.register_handler_ = FieldOf(extension, &PJRT_FFI_Extension::register_handler);
    }
  });
  if (!valid.ok()) return valid;
  if (plugin.gpu_ == nullptr && plugin.register_handler_ == nullptr) {
    return absl::UnimplementedError(absl::StrCat(
        "the plugin (PJRT API ", plugin.version_text(),
        ") registers no custom calls: it has neither the extension for GPU custom calls (type ",
        PJRT_Extension_Type_Gpu_Custom_Call,
        "), which XLA's GPU plugins have since jaxlib 0.4.30, nor register_handler in an FFI "
        "extension (type ",
        PJRT_Extension_Type_FFI, "), which plugins have since jaxlib 0.7.2"));
  }
  return plugin;
}

const void* Plugin::registrar() const {
  return is_gpu() ? reinterpret_cast<const void*>(gpu_)
                  : reinterpret_cast<const void*>(register_handler_);
}

absl::Status Plugin::TakeStatus(PJRT_Error* error) const {
  if (error == nullptr) return absl::OkStatus();
  PJRT_Error_Message_Args text = {sizeof(text), nullptr, error, nullptr, 0};
  api_->PJRT_Error_Message(&text);
  PJRT_Error_GetCode_Args number = {sizeof(number), nullptr, error, 0};
  PJRT_Error* unknown = api_->PJRT_Error_GetCode(&number);
  const bool is_code = unknown == nullptr && number.code >= 1 && number.code <= 16;
  absl::Status status(
      is_code ? static_cast<absl::StatusCode>(number.code) : absl::StatusCode::kUnknown,
      text.message == nullptr ? "" : absl::string_view(text.message, text.message_size));
  for (PJRT_Error* taken : {error, unknown}) {
    if (taken == nullptr) continue;
    PJRT_Error_Destroy_Args destroy = {sizeof(destroy), nullptr, taken};
    api_->PJRT_Error_Destroy(&destroy);
  }
  return status;
}

// Of jaxlib 0.4.30, 0.4.31 and 0.4.34, which state the same version, the last has another struct of
// arguments. Plugins check its size before anything else.
absl::StatusOr<bool> Plugin::TakesHandlers() const {
  if (!is_gpu() || !version().layout_is_ambiguous) return true;
  constexpr absl::string_view kName = "callbridge_asks_for_the_layout";
  constexpr int32_t kNoApiVersion = -1;
  PJRT_Gpu_Register_Custom_Call_Args_0_4_30 args = {sizeof(args), kName.data(), kName.size(),
                                                    kNoApiVersion, nullptr};
  const absl::Status refused = TakeStatus(gpu_(&args));
  if (absl::IsInvalidArgument(refused)) return true;
  if (absl::IsUnimplemented(refused)) return false;
  return absl::InternalError(absl::StrCat("the plugin (PJRT API ", version_text(),
                                          ") should refuse api_version ", kNoApiVersion,
                                          ", but answers ", refused.ToString()));
}

absl::Status Plugin::RegisterFunction(absl::string_view name, void* function) const {
  if (!is_gpu()) {
    return absl::UnimplementedError(
        "the plugin has no extension for GPU custom calls, and registers typed handlers alone");
  }
  const absl::StatusOr<bool> takes_handlers = TakesHandlers();
  if (!takes_handlers.ok()) return takes_handlers.status();
  if (!*takes_handlers) {
    PJRT_Gpu_Register_Custom_Call_Args_0_4_30 args = {sizeof(args), name.data(), name.size(),
                                                      PJRT_Gpu_Untyped, function};
    return TakeStatus(gpu_(&args));
  }
  PJRT_Gpu_Register_Custom_Call_Args args = {};
  args.struct_size = PJRT_Gpu_Register_Custom_Call_Args_STRUCT_SIZE;
  args.function_name = name.data();
  args.function_name_size = name.size();
  args.api_version = PJRT_Gpu_Untyped;
  args.handler_execute = function;
  return TakeStatus(gpu_(&args));
}

absl::Status Plugin::RegisterHandlers(absl::string_view name, absl::string_view platform,
                                      const XLA_FFI_Handler_Bundle& handlers,
                                      XLA_FFI_Handler_Traits traits) const {
  const auto address = [](XLA_FFI_Handler* handler) { return reinterpret_cast<void*>(handler); };
  if (is_gpu()) {
    const absl::StatusOr<bool> takes_handlers = TakesHandlers();
    if (!takes_handlers.ok()) return takes_handlers.status();
    if (!*takes_handlers) {
      return absl::UnimplementedError(absl::StrCat(
          "the plugin (PJRT API ", version_text(),
          ") takes typed handlers without their other stages; plugins take these since jaxlib "
          "0.4.34"));
    }
    PJRT_Gpu_Register_Custom_Call_Args args = {PJRT_Gpu_Register_Custom_Call_Args_STRUCT_SIZE,
                                               name.data(),
                                               name.size(),
                                               PJRT_Gpu_Typed,
                                               address(handlers.instantiate),
                                               address(handlers.prepare),
                                               address(handlers.initialize),
                                               address(handlers.execute),
                                               gpu_handles_traits_ ? traits : 0};
    return TakeStatus(gpu_(&args));
  }
  if (handlers.instantiate != nullptr || handlers.prepare != nullptr ||
      handlers.initialize != nullptr) {
    return absl::UnimplementedError(
        "the plugin has no extension for GPU custom calls, and its FFI extension takes a handler "
        "for the stage EXECUTE alone, but the target has others");
  }
  PJRT_FFI_Register_Handler_Args args = {sizeof(args),
                                         name.data(),
                                         name.size(),
                                         address(handlers.execute),
                                         platform.data(),
                                         platform.size(),
                                         static_cast<int32_t>(traits)};
  return TakeStatus(register_handler_(&args));
}

absl::Status Plugin::RegisterType(absl::string_view name, int64_t* type_id,
                                  void (*deleter)(void*)) const {
  if (register_type_ == nullptr) {
    return absl::UnimplementedError(absl::StrCat("the plugin (PJRT API ", version_text(),
                                                 ") has no FFI extension (type ",
                                                 PJRT_Extension_Type_FFI, "), so it has no types"));
  }
  if (*type_id != 0 && !version().takes_type_ids) {
    return absl::UnimplementedError(absl::StrCat(
        "the plugin (PJRT API ", version_text(), ") assigns ids itself, but the type has the id ",
        *type_id, "; plugins take an id since jaxlib 0.6"));
  }
  PJRT_FFI_Type_Register_Args args = {sizeof(args), nullptr,  name.data(),
                                      name.size(),  *type_id, KeptInfo(deleter)};
  absl::Status registered = TakeStatus(register_type_(&args));
  if (registered.ok()) *type_id = args.type_id;
  return registered;
}

}  // namespace pjrt
}  // namespace callbridge
