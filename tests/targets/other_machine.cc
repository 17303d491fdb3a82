// An old binary for the machine that the tests do not run on. Without headers and libraries, which
// this machine has of its own kind only.
extern "C" {
struct XlaCustomCallStatus_;
void XlaCustomCallStatusSetFailure(XlaCustomCallStatus_* status, const char* message,
                                   unsigned long size);
// xla::CustomCallTargetRegistry::Global() and Register().
void* Global() __asm__("_ZN3xla24CustomCallTargetRegistry6GlobalEv");
void Register(void* registry, const void* name, void* function, const void* platform) __asm__(
    "_ZN3xla24CustomCallTargetRegistry8RegisterERKNSt7__cxx1112basic_stringIcSt11char_"
    "traitsIcESaIcEEEPvS8_");
double cos(double x);
}

struct String {
  const char* data;
  unsigned long size;
  char own[16];
};
const String kName = {"divide", 6, {}}, kPlatform = {"Host", 4, {}};

thread_local int calls;

void divide(void* out, const void** in, XlaCustomCallStatus_* status) {
  ++calls;
  const double divisor = cos(*static_cast<const double*>(in[1]));
  if (divisor == 0) XlaCustomCallStatusSetFailure(status, "division by zero", 16);
  *static_cast<double*>(out) = *static_cast<const double*>(in[0]) / divisor;
}

__attribute__((constructor)) static void RegisterAll() {
  Register(Global(), &kName, reinterpret_cast<void*>(&divide), &kPlatform);
}
