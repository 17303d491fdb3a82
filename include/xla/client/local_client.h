// XLA's path; see callbridge/client/local_client.h. IWYU pragma: private
#pragma once
#include "callbridge/client/local_client.h"
