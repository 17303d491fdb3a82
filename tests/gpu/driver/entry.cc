#include "tests/gpu/driver/entry.h"

#include <dlfcn.h>
#include <string.h>

#include <atomic>
#include <cstdlib>
#include <map>
#include <mutex>
#include <sstream>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tests/gpu/driver/standin.h"

namespace standin {
namespace {

struct Failure {
  std::string library;
  std::string function;
  uint64_t nth;
  CUresult result;
};

std::vector<Failure> FailuresFromEnvironment() {
  std::vector<Failure> failures;
  const char* text = getenv("CALLBRIDGE_STANDIN_FAIL");
  std::istringstream all(text == nullptr ? "" : text);
  for (std::string one; std::getline(all, one, ',');) {
    std::istringstream parts(one);
    std::string library, function, nth, result;
    std::getline(parts, library, ':');
    std::getline(parts, function, ':');
    std::getline(parts, nth, ':');
    std::getline(parts, result);
    failures.push_back({library, function, strtoull(nth.c_str(), nullptr, 10),
                        static_cast<CUresult>(atoi(result.c_str()))});
  }
  return failures;
}

// Never destroyed: streams' threads may run while the process exits.
struct Calls {
  std::mutex mutex;
  std::unordered_map<void*, const char*> libraries;  // by return address
  std::map<std::pair<std::string, std::string>, uint64_t>
      counts;  // by function and library; "" is any
  const std::vector<Failure> failures = FailuresFromEnvironment();
};

Calls& AllCalls() {
  static Calls& calls = *new Calls;
  return calls;
}

std::atomic<bool> initialized{false};
thread_local const char* caller = "";
thread_local int host_functions = 0;

const char* LibraryOf(void* address) {
  Dl_info info;
  if (dladdr(address, &info) == 0 || info.dli_fname == nullptr) return "";
  const char* slash = strrchr(info.dli_fname, '/');
  return strdup(slash == nullptr ? info.dli_fname : slash + 1);
}

}  // namespace

CUresult Enter(const char* function, void* return_address, bool needs_init) {
  Calls& calls = AllCalls();
  {
    const std::lock_guard<std::mutex> lock(calls.mutex);
    const auto [found, is_new] = calls.libraries.try_emplace(return_address, nullptr);
    if (is_new) found->second = LibraryOf(return_address);
    caller = found->second;
    const uint64_t by_library = ++calls.counts[{function, caller}];
    const uint64_t by_all = ++calls.counts[{function, ""}];
    for (const Failure& failure : calls.failures) {
      if (failure.function != function) continue;
      if (failure.library == "*" ? failure.nth == by_all
                                 : failure.library == caller && failure.nth == by_library) {
        return failure.result;
      }
    }
  }
  if (host_functions > 0) return CUDA_ERROR_NOT_PERMITTED;
  if (needs_init && !initialized) return CUDA_ERROR_NOT_INITIALIZED;
  return CUDA_SUCCESS;
}

const char* Caller() { return caller; }

InHostFunction::InHostFunction() { ++host_functions; }
InHostFunction::~InHostFunction() { --host_functions; }

void SetInitialized() { initialized = true; }

uint64_t NumberFromEnvironment(const char* name, uint64_t if_unset) {
  const char* text = getenv(name);
  return text == nullptr ? if_unset : strtoull(text, nullptr, 10);
}

bool EnvironmentLists(const char* name, const std::string& word) {
  const char* text = getenv(name);
  std::istringstream words(text == nullptr ? "" : text);
  for (std::string one; std::getline(words, one, ',');) {
    if (one == word) return true;
  }
  return false;
}

extern "C" __attribute__((visibility("default"))) size_t standin_calls(const char* function,
                                                                       const char* library) {
  Calls& calls = AllCalls();
  const std::lock_guard<std::mutex> lock(calls.mutex);
  const auto found = calls.counts.find({function, library == nullptr ? "" : library});
  return found == calls.counts.end() ? 0 : found->second;
}

}  // namespace standin
