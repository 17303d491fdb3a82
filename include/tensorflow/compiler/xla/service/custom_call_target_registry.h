// XLA's path; see callbridge/register.h. IWYU pragma: private
#pragma once
#include "callbridge/register.h"
