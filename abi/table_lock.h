// TableLock: the lock of the tables that a process has one of, such as its registries.
#ifndef CALLBRIDGE_ABI_TABLE_LOCK_H_
#define CALLBRIDGE_ABI_TABLE_LOCK_H_

namespace callbridge {

// Holds the one lock of all these tables as long as it lives. fork() takes it too, so that a child
// finds it free and the tables whole, whatever other threads did in its parent.
//
// For a look-up or an insertion, and for the function that makes a table the first time: a local
// static that one thread is making hangs in a child. What is done under it must not lock again,
// fork, call code of others, or call ld.so, which has a lock of its own: a library's constructor
// may fork under that.
class TableLock {
 public:
  TableLock();
  ~TableLock();
  TableLock(const TableLock&) = delete;
  TableLock& operator=(const TableLock&) = delete;
};

}  // namespace callbridge

#endif  // CALLBRIDGE_ABI_TABLE_LOCK_H_
