// What a process that is forked from this one does.
#ifndef CALLBRIDGE_TESTS_FORKED_PROCESS_H_
#define CALLBRIDGE_TESTS_FORKED_PROCESS_H_

#include <sys/wait.h>
#include <unistd.h>

#include "gtest/gtest.h"

namespace callbridge {

// The wait status of a forked process that calls `function` and exits with what it returns. One
// that hangs is ended by SIGALRM.
template <typename Function>
int InChild(const Function& function) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    _exit(function());
  }
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return status;
}

}  // namespace callbridge

#endif  // CALLBRIDGE_TESTS_FORKED_PROCESS_H_
