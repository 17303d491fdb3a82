// The mangled names of xla::CustomCallTargetRegistry's member functions in old object files, in
// both string ABIs of libstdc++; "Ss" is a std::string of the old one. Read from binaries that were
// built against TensorFlow 2.13.1's headers.
//
// Macros, since the names of symbols (__asm__) have to be literals.
#ifndef CALLBRIDGE_ADAPTERS_LINK_UPSTREAM_NAMES_H_
#define CALLBRIDGE_ADAPTERS_LINK_UPSTREAM_NAMES_H_

#define CALLBRIDGE_UPSTREAM_GLOBAL "_ZN3xla24CustomCallTargetRegistry6GlobalEv"
#define CALLBRIDGE_UPSTREAM_REGISTER              \
  "_ZN3xla24CustomCallTargetRegistry8RegisterERK" \
  "NSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEEPvS8_"
#define CALLBRIDGE_UPSTREAM_LOOKUP               \
  "_ZNK3xla24CustomCallTargetRegistry6LookupERK" \
  "NSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEES8_"
#define CALLBRIDGE_UPSTREAM_REGISTER_OLD_STRINGS \
  "_ZN3xla24CustomCallTargetRegistry8RegisterERKSsPvS2_"
#define CALLBRIDGE_UPSTREAM_LOOKUP_OLD_STRINGS "_ZNK3xla24CustomCallTargetRegistry6LookupERKSsS2_"

#endif  // CALLBRIDGE_ADAPTERS_LINK_UPSTREAM_NAMES_H_
