// Ends the process where a target ends the thread of a call from Python, whose interpreter does not
// survive that. Needs -fexceptions.
#ifndef CALLBRIDGE_PYTHON_EXTENSION_ENDED_THREAD_H_
#define CALLBRIDGE_PYTHON_EXTENSION_ENDED_THREAD_H_

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static inline void RequireReturn(const bool* returned) {
  if (*returned) return;
  fputs(
      "callbridge: a custom call's function ended its thread (pthread_exit or pthread_cancel), "
      "which Python needs, so the process ends. Return from the function instead.\n",
      stderr);
  abort();
}

// Does `statement`, which calls a target.
#define REQUIRING_THREAD(statement)                                \
  do {                                                             \
    bool returned __attribute__((cleanup(RequireReturn))) = false; \
    statement;                                                     \
    returned = true;                                               \
  } while (0)

#endif  // CALLBRIDGE_PYTHON_EXTENSION_ENDED_THREAD_H_
