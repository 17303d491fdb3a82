// What another protobuf in the global symbol scope does to those who bind to it, cut down: it ends
// the process. Names of functions that libprotobuf calls itself, of ones that an old binary
// imports, and of ones that it has inlined and exports.
#include <cstdio>
#include <cstdlib>

#define ENDS_PROCESS(number, name)                               \
  extern "C" void function_##number() __asm__(name);             \
  void function_##number() {                                     \
    std::fputs("bound to another protobuf: " name "\n", stderr); \
    std::abort();                                                \
  }

ENDS_PROCESS(1, "_ZN6google8protobuf11MessageLite14ParseFromArrayEPKvi")
ENDS_PROCESS(2, "_ZN6google8protobuf13RepeatedFieldIlE3AddERKl")
ENDS_PROCESS(3, "_ZN6google8protobuf8internal16InternalMetadataC1EPNS0_5ArenaEb")
ENDS_PROCESS(4, "_ZN3xla10ShapeProtoC1EPN6google8protobuf5ArenaEb")
ENDS_PROCESS(5, "_ZN3xla10ShapeProto14add_dimensionsEl")
ENDS_PROCESS(6, "_ZNK3xla10ShapeProto12element_typeEv")
ENDS_PROCESS(7, "_ZN6google8protobuf14DescriptorPool24InternalAddGeneratedFileEPKvi")
ENDS_PROCESS(8, "_ZN6google8protobuf8internal20AddDescriptorsRunnerC1EPKNS1_15DescriptorTableE")
ENDS_PROCESS(9, "_ZN6google8protobuf8internal14AddDescriptorsEPKNS1_15DescriptorTableE")
ENDS_PROCESS(10, "_ZNK6google8protobuf7Message11DebugStringB5cxx11Ev")
ENDS_PROCESS(11, "_ZN6google8protobuf10TextFormat7PrinterC1Ev")
ENDS_PROCESS(12, "_ZN6google8protobuf5Arena13CreateMessageIN3xla10ShapeProtoEJEEEPT_PS1_DpOT0_")
