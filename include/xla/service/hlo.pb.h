// XLA's path; see callbridge/hlo/hlo_proto.h. IWYU pragma: private
#pragma once
#include "callbridge/hlo/hlo_proto.h"
