#include "callbridge/abi/table_lock.h"

#include <pthread.h>

#include <mutex>

namespace callbridge {
namespace {

// Needs no constructor, so that libraries that are loaded earlier can register.
std::mutex mutex;

// Registers the fork handlers when the program starts or loads callbridge. Done later, a thread
// could fork while another one is registering them and holds the lock. If there is no memory it
// fails, and forks do not take the lock.
[[maybe_unused]] const int watches_forks =
    pthread_atfork([] { mutex.lock(); }, [] { mutex.unlock(); }, [] { mutex.unlock(); });

}  // namespace

TableLock::TableLock() { mutex.lock(); }
TableLock::~TableLock() { mutex.unlock(); }

}  // namespace callbridge
