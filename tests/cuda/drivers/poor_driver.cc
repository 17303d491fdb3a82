// A libcuda.so.1 that callbridge cannot use: it supports CUDA VERSION / 1000, and has no function
// but these.
extern "C" {

__attribute__((visibility("default"))) int cuDriverGetVersion(int* version) {
  *version = VERSION;
  return 0;
}

__attribute__((visibility("default"))) int cuInit(unsigned) { return 0; }

}  // extern "C"
