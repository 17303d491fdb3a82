// Structs that are not what is said of them: MISUSE is the field that has moved, from 1 on, or 9
// for another size.
#include "callbridge/typed_ffi/frozen.h"

struct Eight {
  int a, b, c, d, e, f, g, h;
};
#define AT(number, offset) ((offset) + (MISUSE == (number) ? 1 : 0))

CALLBRIDGE_FROZEN_8(Eight, AT(9, 32), a, AT(1, 0), b, AT(2, 4), c, AT(3, 8), d, AT(4, 12), e,
                    AT(5, 16), f, AT(6, 20), g, AT(7, 24), h, AT(8, 28));
