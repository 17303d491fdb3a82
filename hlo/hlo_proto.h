// xla::HloModuleProto and the messages in it, generated from hlo.proto.
#ifndef CALLBRIDGE_HLO_HLO_PROTO_H_
#define CALLBRIDGE_HLO_HLO_PROTO_H_

// Must come first: it defines the macro that exports the generated classes.
#include "callbridge/abi/exported.h"
//
#include "callbridge/hlo/hlo.pb.h"       // IWYU pragma: export
#include "callbridge/hlo/xla_data.pb.h"  // IWYU pragma: export

#endif  // CALLBRIDGE_HLO_HLO_PROTO_H_
