// What needs.cc finds only where the process has opened it before, as packages open MKL or CUDA.
extern "C" float Twice(float x) { return 2 * x; }
