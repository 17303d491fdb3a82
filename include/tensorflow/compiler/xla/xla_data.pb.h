// XLA's path; see callbridge/hlo/xla_data_proto.h. IWYU pragma: private
#pragma once
#include "callbridge/hlo/xla_data_proto.h"
