#ifndef CALLBRIDGE_TESTS_GPU_DRIVER_EVENTS_H_
#define CALLBRIDGE_TESTS_GPU_DRIVER_EVENTS_H_

#include <memory>
#include <vector>

#include "tests/gpu/driver/driver_types.h"
#include "tests/gpu/driver/ledger.h"
#include "tests/gpu/driver/streams.h"

namespace standin {

// Guarded by OrderOfStreams().
class Event {
 public:
  Event(Context* context, unsigned flags) : context(context), flags(flags) {}

  Context* const context;
  const unsigned flags;
  std::shared_ptr<Completion> recorded;  // null before it is recorded
  Capture* capture = nullptr;            // that it was recorded in, and the nodes before it
  std::vector<Node*> nodes;
};

Handles<Event>& Events();

// What a graph's nodes do.
void WaitFor(Event* event);
void RecordNow(Event* event);

}  // namespace standin

#endif  // CALLBRIDGE_TESTS_GPU_DRIVER_EVENTS_H_
