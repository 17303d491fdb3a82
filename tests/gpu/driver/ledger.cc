#include "tests/gpu/driver/ledger.h"

#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <set>
#include <sstream>
#include <utility>
#include <vector>

#include "tests/gpu/driver/entry.h"

namespace standin::ledger {
namespace {

struct Ledger {
  std::mutex mutex;
  std::map<std::pair<std::string, uint64_t>, std::string> taken;
  std::set<std::string> noted;
};

Ledger& TheLedger() {
  static Ledger& ledger = *new Ledger;
  return ledger;
}

// When the library is closed or the process exits.
__attribute__((destructor)) void WriteAtExit() {
  Ledger& ledger = TheLedger();
  const char* path = getenv("CALLBRIDGE_STANDIN_LEDGER");
  if (path == nullptr) return;
  const std::lock_guard<std::mutex> lock(ledger.mutex);
  FILE* file = fopen(path, "a");
  if (file == nullptr) return;
  for (const std::string& note : ledger.noted) fprintf(file, "%s\n", note.c_str());
  for (const auto& [handle, by] : ledger.taken) {
    fprintf(file, "not freed: %s%s\n", handle.first.c_str(), by.c_str());
  }
  fclose(file);
}

}  // namespace

void Take(const char* what, uint64_t handle, const std::string& detail) {
  Ledger& ledger = TheLedger();
  const std::lock_guard<std::mutex> lock(ledger.mutex);
  ledger.taken[{what, handle}] = (detail.empty() ? "" : " of " + detail) + ", taken by " + Caller();
}

void GiveBack(const char* what, uint64_t handle) {
  Ledger& ledger = TheLedger();
  const std::lock_guard<std::mutex> lock(ledger.mutex);
  ledger.taken.erase({what, handle});
}

void Note(const std::string& text) {
  Ledger& ledger = TheLedger();
  const std::string line = text + ", by " + Caller();
  const std::lock_guard<std::mutex> lock(ledger.mutex);
  if (ledger.noted.insert(line).second && getenv("CALLBRIDGE_STANDIN_LEDGER") == nullptr) {
    fprintf(stderr, "stand-in driver: %s\n", line.c_str());
  }
}

}  // namespace standin::ledger
