// TableLock: the lock of all tables of which a process has one, such as its registries.
#ifndef CALLBRIDGE_ABI_TABLE_LOCK_H_
#define CALLBRIDGE_ABI_TABLE_LOCK_H_

namespace callbridge {

// Holds, while it lives, the one lock of all these tables. fork() takes it too, so that a child
// finds it free and the tables consistent, whatever other threads of the parent were doing.
//
// Hold it for a look-up, an insertion, or the construction of a table (a static local that another
// thread is constructing would block a child for ever). Under it, do not lock again, fork, call
// other people's code, or call ld.so, which has a lock of its own: a library's constructor may fork
// under that.
class TableLock {
 public:
  TableLock();
  ~TableLock();
  TableLock(const TableLock&) = delete;
  TableLock& operator=(const TableLock&) = delete;
};

}  // namespace callbridge

#endif  // CALLBRIDGE_ABI_TABLE_LOCK_H_
