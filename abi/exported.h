// CALLBRIDGE_EXPORTED marks what libcallbridge.so exports; everything else is hidden.
// c_api/exported_symbols.txt lists the same names.
#ifndef CALLBRIDGE_ABI_EXPORTED_H_
#define CALLBRIDGE_ABI_EXPORTED_H_

#define CALLBRIDGE_EXPORTED __attribute__((visibility("default")))

#endif  // CALLBRIDGE_ABI_EXPORTED_H_
