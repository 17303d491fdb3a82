#include "callbridge/cuda/driver.h"

#include <dlfcn.h>
#include <pthread.h>

#include <atomic>
#include <cstdlib>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace callbridge {
namespace cuda {
namespace {

constexpr char kLibrary[] = "libcuda.so.1";

// ---- Forks

// How many threads have begun to initialise the driver and have not failed.
std::atomic<int> users{0};
std::atomic<bool> is_forked{false};

void WatchForks() {
  static std::atomic<bool> is_watching{false};
  if (is_watching.exchange(true)) return;
  const int failed = pthread_atfork(nullptr, nullptr, [] {
    if (users.load() > 0) is_forked.store(true);
  });
  if (failed != 0) is_watching.store(false);
}

// ---- Errors

bool LosesContext(Result result) {
  switch (result) {
    case result::kUncorrectableMemory:
    case result::kIllegalAddress:
    case result::kLaunchTimeout:
    case result::kContextIsDestroyed:
    case result::kAssert:
    case result::kHardwareStackError:
    case result::kIllegalInstruction:
    case result::kMisalignedAddress:
    case result::kInvalidAddressSpace:
    case result::kInvalidProgramCounter:
    case result::kLaunchFailed:
      return true;
    default:
      return false;
  }
}

absl::StatusCode CodeOf(Result result) {
  switch (result) {
    case result::kOutOfMemory:
      return absl::StatusCode::kResourceExhausted;
    case result::kInvalidValue:
    case result::kInvalidDevice:
      return absl::StatusCode::kInvalidArgument;
    case result::kNotInitialized:
    case result::kDeinitialized:
    case result::kStubLibrary:
    case result::kDeviceUnavailable:
    case result::kNoDevice:
    case result::kSystemDriverMismatch:
      return absl::StatusCode::kUnavailable;
    default:
      return absl::StatusCode::kInternal;
  }
}

std::string VersionText(int version) {
  return absl::StrCat(version / 1000, ".", version % 1000 / 10);
}

}  // namespace

absl::Status CheckNotForked() {
  if (!is_forked.load(std::memory_order_relaxed)) return absl::OkStatus();
  return absl::FailedPreconditionError(
      "CUDA cannot be used here: this process was forked from one that had used it, and CUDA does "
      "not survive fork(). Fork before the first use, or start a new program (in Python, "
      "multiprocessing's \"spawn\")");
}

// ---- The library

DriverLibrary::DriverLibrary(void* library)
    : library_(library),
      error_name_(reinterpret_cast<ErrorText*>(Find("cuGetErrorName"))),
      error_string_(reinterpret_cast<ErrorText*>(Find("cuGetErrorString"))) {}

absl::StatusOr<DriverLibrary> DriverLibrary::Open() {
  void* library = dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
  if (library != nullptr) return DriverLibrary(library);
  const char* why = dlerror();
  return absl::UnavailableError(absl::StrCat(
      "no CUDA driver: the library ", kLibrary,
      ", which NVIDIA's driver installs, cannot be opened: ", why != nullptr ? why : "no reason"));
}

void* DriverLibrary::Find(const char* symbol) {
  void* found = FindIfThere(symbol);
  if (found == nullptr) missing_.emplace_back(symbol);
  return found;
}

void* DriverLibrary::FindIfThere(const char* symbol) const { return dlsym(library_, symbol); }

absl::Status DriverLibrary::ErrorOf(const char* function, Result result) const {
  const char* name = nullptr;
  const char* text = nullptr;
  if (error_name_ == nullptr || error_name_(result, &name) != result::kSuccess) name = nullptr;
  if (error_string_ == nullptr || error_string_(result, &text) != result::kSuccess) text = nullptr;
  std::string message = absl::StrCat(function, " failed: ");
  if (name != nullptr) {
    absl::StrAppend(&message, name);
  } else {
    absl::StrAppend(&message, "CUDA error ", result);
  }
  if (text != nullptr) absl::StrAppend(&message, " (", text, ")");
  if (LosesContext(result)) {
    absl::StrAppend(&message,
                    ". The CUDA context is lost, with all of its memory: every later call on the "
                    "device fails; restart the process");
  }
  return absl::Status(CodeOf(result), message);
}

// ---- The driver

absl::StatusOr<const Driver*> Driver::Make() {
  absl::StatusOr<DriverLibrary> library = DriverLibrary::Open();
  if (!library.ok()) return library.status();
  std::unique_ptr<const Driver> driver(new Driver(*std::move(library)));
  // Asked first: an old driver lacks functions too, and this says why.
  if (driver->driver_get_version.is_there()) {
    int version = 0;
    absl::Status asked = driver->driver_get_version(&version);
    if (!asked.ok()) return asked;
    if (version < kOldestDriverVersion) {
      return absl::UnavailableError(absl::StrCat(
          "the CUDA driver is too old: ", kLibrary, " supports CUDA ", VersionText(version),
          ", and callbridge needs ", VersionText(kOldestDriverVersion), " or newer"));
    }
  }
  if (!driver->library_.missing().empty()) {
    return absl::UnavailableError(absl::StrCat("the CUDA driver cannot be used: ", kLibrary,
                                               " has no function ",
                                               absl::StrJoin(driver->library_.missing(), ", ")));
  }
  absl::Status initialised = driver->init(0);
  if (initialised.ok()) return driver.release();
  const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
  return absl::Status(
      initialised.code(),
      absl::StrCat(initialised.message(), ", in ", kLibrary, "; CUDA_VISIBLE_DEVICES is ",
                   visible != nullptr ? absl::StrCat("\"", visible, "\"") : "not set"));
}

absl::StatusOr<const Driver*> Driver::Get() {
  static std::atomic<const Driver*> known{nullptr};
  absl::Status usable = CheckNotForked();
  if (!usable.ok()) return usable;
  if (const Driver* driver = known.load(std::memory_order_acquire)) return driver;
  WatchForks();
  // Without a lock, which a fork could leave locked: threads may do this at the same time, and the
  // driver bears it.
  ++users;
  absl::StatusOr<const Driver*> made = Make();
  if (!made.ok()) {
    --users;
    return made.status();
  }
  const Driver* first = nullptr;
  if (known.compare_exchange_strong(first, *made, std::memory_order_acq_rel)) return made;
  delete *made;
  return first;
}

}  // namespace cuda
}  // namespace callbridge
