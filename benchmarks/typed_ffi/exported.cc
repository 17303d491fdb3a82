// The measured function of version 1, given handlers by CALLBRIDGE_EXPORT: for any call, and for
// calls of declared shapes.
#include "callbridge/export.h"

extern "C" void measured_function(void* out, const void** in);

#define SHAPES_4 "f32[4],f32[4],f32[4],f32[4]"
#define SHAPES_8 SHAPES_4 "," SHAPES_4

CALLBRIDGE_EXPORT(Export, measured_function);
CALLBRIDGE_EXPORT(Export_1, measured_function,
                  callbridge::ExportOptions().Shapes("f32[4] -> f32[4]"));
CALLBRIDGE_EXPORT(Export_4, measured_function,
                  callbridge::ExportOptions().Shapes(SHAPES_4 " -> f32[4]"));
CALLBRIDGE_EXPORT(Export_8, measured_function,
                  callbridge::ExportOptions().Shapes(SHAPES_8 " -> f32[4]"));
CALLBRIDGE_EXPORT(Export_16, measured_function,
                  callbridge::ExportOptions().Shapes(SHAPES_8 "," SHAPES_8 " -> f32[4]"));
