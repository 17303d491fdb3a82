// xla::ShapeProto, xla::LiteralProto and xla::PrimitiveType, generated from xla_data.proto.
#ifndef CALLBRIDGE_HLO_XLA_DATA_PROTO_H_
#define CALLBRIDGE_HLO_XLA_DATA_PROTO_H_

// Must come first: it defines the macro that exports the generated classes.
#include "callbridge/abi/exported.h"
//
#include "callbridge/hlo/xla_data.pb.h"  // IWYU pragma: export

#endif  // CALLBRIDGE_HLO_XLA_DATA_PROTO_H_
