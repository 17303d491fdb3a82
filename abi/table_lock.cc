#include "callbridge/abi/table_lock.h"

#include <pthread.h>

#include <mutex>

namespace callbridge {
namespace {

// Needs no construction, so that libraries which are loaded earlier can register.
std::mutex mutex;

// When the program starts or loads callbridge: later, one thread could fork while another one is
// about to say so and has the lock. Fails where there is no memory; forks are not watched then.
[[maybe_unused]] const int watches_forks =
    pthread_atfork([] { mutex.lock(); }, [] { mutex.unlock(); }, [] { mutex.unlock(); });

}  // namespace

TableLock::TableLock() { mutex.lock(); }
TableLock::~TableLock() { mutex.unlock(); }

}  // namespace callbridge
