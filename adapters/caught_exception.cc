#include "callbridge/adapters/caught_exception.h"

#include <cxxabi.h>

#include <cstdlib>
#include <exception>
#include <memory>
#include <string>
#include <typeinfo>

#include "absl/strings/str_cat.h"
#include "callbridge/status_returning/status_storage.h"

namespace callbridge {
namespace {

std::string CurrentExceptionTypeName() {
  const std::type_info* type = abi::__cxa_current_exception_type();
  if (type == nullptr) return "an exception of another language";
  std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(type->name(), nullptr, nullptr, nullptr), &std::free);
  return name != nullptr ? name.get() : type->name();
}

}  // namespace

absl::Status CaughtException() {
  try {
    throw;
  } catch (abi::__forced_unwind&) {
    throw;
  } catch (const std::exception& exception) {
    return CustomCallFailed(
        absl::StrCat("the target threw ", CurrentExceptionTypeName(), ": ", exception.what()));
  } catch (...) {
    return CustomCallFailed(absl::StrCat("the target threw ", CurrentExceptionTypeName()));
  }
}

}  // namespace callbridge
