// xla::HloModuleProto and what it consists of, generated from hlo.proto.
#ifndef CALLBRIDGE_HLO_HLO_PROTO_H_
#define CALLBRIDGE_HLO_HLO_PROTO_H_

// First: the generated classes are marked with what it defines.
#include "callbridge/abi/exported.h"
//
#include "callbridge/hlo/hlo.pb.h"       // IWYU pragma: export
#include "callbridge/hlo/xla_data.pb.h"  // IWYU pragma: export

#endif  // CALLBRIDGE_HLO_HLO_PROTO_H_
