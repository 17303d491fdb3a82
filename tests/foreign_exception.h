// Exceptions that are not of this C++ runtime, as functions of other languages throw them.
#ifndef CALLBRIDGE_TESTS_FOREIGN_EXCEPTION_H_
#define CALLBRIDGE_TESTS_FOREIGN_EXCEPTION_H_

#include <unwind.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

namespace callbridge {

struct ForeignLanguage {
  const char* letters;  // eight, the exception's class
  const char* text;     // what errors call it
  bool is_deleted;      // whether the catcher deletes it
};
inline constexpr ForeignLanguage kForeignLanguages[] = {
    {"MOZ\0RUST", "a Rust panic", false},
    {"TSUR\0ZOM", "a Rust panic", false},  // as newer Rusts have it
    {"GNUCOBJC", "an Objective-C exception", true},
    {"CLNGC++\0", "an exception of libc++", true},
    {"SEH-LIKE", "an exception of another language", true},
};

inline int foreign_exceptions_deleted = 0;

// Throws an exception of that language. A Rust panic ends the process if it is deleted, as Rust
// does.
[[noreturn]] inline void RaiseForeign(const ForeignLanguage& language) {
  // Those that nobody may delete are no leaks.
  static auto& all = *new std::vector<_Unwind_Exception*>();
  auto* exception = static_cast<_Unwind_Exception*>(
      std::aligned_alloc(alignof(_Unwind_Exception), sizeof(_Unwind_Exception)));
  all.push_back(exception);
  exception->exception_class = 0;
  for (int i = 0; i < 8; ++i) {
    exception->exception_class =
        exception->exception_class << 8 | static_cast<unsigned char>(language.letters[i]);
  }
  exception->exception_cleanup = [](_Unwind_Reason_Code, _Unwind_Exception* caught) {
    if (caught->exception_class >> 56 == 'M' || caught->exception_class >> 56 == 'T') {
      std::fputs("Rust panics must be rethrown\n", stderr);
      std::abort();
    }
    ++foreign_exceptions_deleted;
    std::free(caught);
  };
  _Unwind_RaiseException(exception);
  std::fputs("nobody catches the exception\n", stderr);
  std::abort();
}

}  // namespace callbridge

#endif  // CALLBRIDGE_TESTS_FOREIGN_EXCEPTION_H_
