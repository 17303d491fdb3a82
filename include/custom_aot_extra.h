// What MindSpore's AOT custom operators include.
#pragma once
#include "callbridge/mindspore_aot/custom_aot_extra.h"
