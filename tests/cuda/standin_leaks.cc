// The stand-in keeps its objects, so that it recognises stale handles; its ledger has what matters.
extern "C" __attribute__((visibility("default"))) const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() { return "leak:libcuda.so.1"; }
