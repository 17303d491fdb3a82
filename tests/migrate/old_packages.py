"""Packages as their authors wrote them for JAX 0.4.13: their C++, one source, and by name their
Python, and what calls it. No test of a part of the codemod has their like."""

SOURCE = r"""\
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "xla/service/custom_call_status.h"
#include "xla/service/custom_call_target_registry.h"

extern "C" void* PyCapsule_New(void*, const char*, void (*)(void*));
template <typename T>
void* Capsule(T* function) {
  return PyCapsule_New(reinterpret_cast<void*>(function), "xla._CUSTOM_CALL_TARGET", nullptr);
}

void stats(void* out_tuple, const void** in) {
  const int64_t n = *reinterpret_cast<const int64_t*>(in[0]);
  const double* x = reinterpret_cast<const double*>(in[1]);
  void** out = reinterpret_cast<void**>(out_tuple);
  double* sums = reinterpret_cast<double*>(out[0]);
  int32_t* signs = reinterpret_cast<int32_t*>(out[1]);
  bool* finite = reinterpret_cast<bool*>(out[2]);
  double sum = 0;
  for (int64_t i = 0; i < n; ++i) {
    sum += x[i];
    sums[i] = sum;
    signs[i] = (x[i] > 0) - (x[i] < 0);
    finite[i] = std::isfinite(x[i]);
  }
}
extern "C" void* stats_capsule() { return Capsule(stats); }

struct Kernel {
  static void Run(void* out, const void** in) {
    for (int i = 0; i < 4; ++i)
      static_cast<float*>(out)[i] =
          static_cast<const float*>(in[0])[i] * static_cast<const float*>(in[1])[i];
  }
};
namespace detail {
template <typename T>
static void Negate(void* out, void** in) {
  T* y = (T*)out;
  const T* x = (const T*)in[0];
  for (int i = 0; i < 4; i++) y[i] = -x[i];
}
}  // namespace detail
extern "C" void* kernel_capsule() { return Capsule(&Kernel::Run); }
extern "C" void* negate_f32_capsule() { return Capsule(detail::Negate<float>); }
extern "C" void* negate_s32_capsule() { return Capsule(detail::Negate<int>); }

struct Descriptor {
  int32_t n;
  uint8_t key[4];
  double scale;
};
void scaled(void* out, const void** in, const char* opaque, size_t opaque_len,
            XlaCustomCallStatus* status) {
  if (opaque_len != sizeof(Descriptor)) {
    XlaCustomCallStatusSetFailure(status, "bad descriptor", 14);
    return;
  }
  Descriptor d;
  std::memcpy(&d, opaque, sizeof d);
  const double* x = static_cast<const double*>(in[0]);
  for (int32_t i = 0; i < d.n; ++i) static_cast<double*>(out)[i] = d.scale * x[i] + d.key[i % 4];
}
extern "C" void* scaled_capsule() { return Capsule(scaled); }

// in[0]: the dimensions.
void transpose(void* out, const void** in) {
  const int32_t* dims = static_cast<const int32_t*>(in[0]);
  const auto* x = static_cast<const std::complex<float>*>(in[1]);
  auto* y = static_cast<std::complex<float>*>(out);
  for (int i = 0; i < dims[0]; ++i)
    for (int j = 0; j < dims[1]; ++j) y[j * dims[0] + i] = std::conj(x[i * dims[1] + j]);
}
extern "C" void* transpose_capsule() { return Capsule(transpose); }
void halve(void* out, const void** in) {
  const int n = *static_cast<const int*>(in[1]);
  const uint16_t* x = static_cast<const uint16_t*>(in[0]);
  for (int i = 0; i < n; ++i) static_cast<uint16_t*>(out)[i] = x[i] - 0x80;
}
extern "C" void* halve_capsule() { return Capsule(halve); }
void both(void* out, const void** in) {
  const int8_t* a = (const int8_t*)in[0];
  const bool* m = (const bool*)in[1];
  for (int i = 0; i < 5; ++i) ((int8_t*)out)[i] = m[i] ? a[i] : (int8_t)~a[i];
}
extern "C" void* both_capsule() { return Capsule(both); }
extern "C" void add_one(void* out, const void** in) {
  for (int i = 0; i < 3; ++i) ((int64_t*)out)[i] = ((const int64_t*)in[0])[i] + 1;
}
extern "C" void add_two(void* out, const void** in) {
  for (int i = 0; i < 3; ++i) ((int64_t*)out)[i] = ((const int64_t*)in[0])[i] + 2;
}

void scan(void* out_tuple, const void** in) {
  const int n = *(const int*)in[0];
  const int m = *(const int*)in[1];
  const float* x = (const float*)in[2];
  float* sums = ((float**)out_tuple)[0];
  float* last = ((float**)out_tuple)[1];
  for (int i = 0; i < n; ++i) {
    float sum = 0;
    for (int j = 0; j < m; ++j) sums[i * m + j] = sum += x[i * m + j];
    last[i] = sum;
  }
}
extern "C" void* scan_capsule() { return Capsule(scan); }
void cube(void* out, void** in) {
  float x = *(float*)in[0];
  *(float*)out = x * x * x;
}
extern "C" void* cube_capsule() { return Capsule(cube); }

namespace {
void bump(void* out, const void** in, XlaCustomCallStatus* status) {
  float* x = static_cast<float*>(out);
  const int32_t by = *static_cast<const int32_t*>(in[1]);
  const float* given = static_cast<const float*>(in[0]);
  if (by < 0) {
    const char message[] = "negative";
    XlaCustomCallStatusSetFailure(status, message, sizeof(message) - 1);
    return;
  }
  for (int i = 0; i < 4; ++i) x[i] = given[i] + by;
}
}  // namespace
extern "C" void* bump_capsule() { return Capsule(&bump); }

static inline float* result_of(void* out) { return static_cast<float*>(out); }
void sorted(void* out, const void** in) {
  float* y = result_of(out);
  const float* x = static_cast<const float*>(in[0]);
  std::copy(x, x + 5, y);
  std::sort(y, y + 5, [](float a, float b) { return a > b; });
}
extern "C" void* sorted_capsule() { return Capsule(sorted); }
// opaque: "n,times"
void repeat(void* out, const void** in, const char* opaque, size_t opaque_len,
            XlaCustomCallStatus*) {
  const std::string text(opaque, opaque_len);
  const int n = std::stoi(text), times = std::stoi(text.substr(text.find(',') + 1));
  for (int t = 0; t < times; ++t) std::memcpy((char*)out + 4 * n * t, in[0], 4 * n);
}
extern "C" void* repeat_capsule() { return Capsule(repeat); }

#define DEFINE(NAME, T)                                              \
  void NAME(void* out_tuple, const void** in) {                      \
    const std::int64_t size = *reinterpret_cast<const std::int64_t*>(in[0]); \
    const T* mean = reinterpret_cast<const T*>(in[1]);               \
    const T* ecc = reinterpret_cast<const T*>(in[2]);                \
    void** out = reinterpret_cast<void**>(out_tuple);                \
    T* s = reinterpret_cast<T*>(out[0]);                             \
    T* c = reinterpret_cast<T*>(out[1]);                             \
    for (std::int64_t n = 0; n < size; ++n) {                        \
      s[n] = mean[n] - ecc[n];                                       \
      c[n] = mean[n] * ecc[n];                                       \
    }                                                                \
  }
DEFINE(kepler_f32, float)
DEFINE(kepler_f64, double)
extern "C" void* kepler_f32_capsule() { return Capsule(kepler_f32); }
extern "C" void* kepler_f64_capsule() { return Capsule(kepler_f64); }

static void iota(void* out, const void** in, const char* opaque, size_t opaque_len,
                 XlaCustomCallStatus*) {
  (void)in;
  long long start = 0;
  std::memcpy(&start, opaque, opaque_len < sizeof start ? opaque_len : sizeof start);
  int64_t* y = static_cast<int64_t*>(out);
  for (int i = 0; i != 6; ++i) *y++ = start + i;
}
extern "C" void* iota_capsule() {
  return PyCapsule_New(reinterpret_cast<void*>(iota), "xla._CUSTOM_CALL_TARGET", nullptr);
}

void sum3(void* out, const void** in) {
  const double* a = static_cast<const double*>(in[0]);
  const double* b = static_cast<const double*>(in[1]);
  const double* c = static_cast<const double*>(in[2]);
  double* y = static_cast<double*>(out);
  for (int i = 0; i < 2; ++i) y[i] = a[i] + b[i] + c[i];
}
extern "C" void* sum3_capsule() { return Capsule(sum3); }
"""

HEAD = """\
import ctypes
import os

import numpy as np
from jax.core import Primitive, ShapedArray
from jax.interpreters import mlir
from jax.lib import xla_client
from jaxlib.hlo_helpers import custom_call

library = ctypes.PyDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "libold.so"))


def capsule(name):
    function = getattr(library, name)
    function.restype = ctypes.py_object
    return function()


"""

# By name, its Python behind HEAD, or all of it; and the body of a function of the module, that
# returns arrays.
PACKAGES = {
    "stats": (
        HEAD
        + """\
xla_client.register_custom_call_target(b"stats", capsule("stats_capsule"), platform="cpu")


def _abstract(x):
    return tuple(ShapedArray(x.shape, np.dtype(t)) for t in ("float64", "int32", "bool"))


def _lowering(ctx, x):
    (aval,) = ctx.avals_in
    n = np.int64(np.prod(aval.shape))
    layout = tuple(range(len(aval.shape) - 1, -1, -1))
    out_types = [
        mlir.ir.RankedTensorType.get(a.shape, mlir.dtype_to_ir_type(a.dtype)) for a in ctx.avals_out
    ]
    return custom_call(
        b"stats",
        out_types,
        [mlir.ir_constant(n), x],
        operand_layouts=[(), layout],
        result_layouts=[layout] * 3,
    )


stats_p = Primitive("stats")
stats_p.multiple_results = True
stats_p.def_abstract_eval(_abstract)
mlir.register_lowering(stats_p, _lowering, platform="cpu")
""",
        r"""
    x = np.array([[1.5, -2, 0], [np.inf, 3, -0.0]], np.float64)
    return jax.jit(k.stats_p.bind)(x)
""",
    ),
    "table": (
        HEAD
        + """\
for _name in ("kernel", "negate_f32", "negate_s32"):
    xla_client.register_custom_call_target(
        _name.encode(), capsule(_name + "_capsule"), platform="cpu"
    )

_NAMES = {np.dtype(np.float32): "negate_f32", np.dtype(np.int32): "negate_s32"}


def _negate(ctx, x):
    return custom_call(
        _NAMES[np.dtype(ctx.avals_in[0].dtype)],
        [x.type],
        [x],
        operand_layouts=[(0,)],
        result_layouts=[(0,)],
    )


def _kernel(ctx, x, y):
    layouts = [(0,), (0,)]
    call = custom_call("kernel", [x.type], [x, y], operand_layouts=layouts, result_layouts=[(0,)])
    return [call[0]]


negate_p = Primitive("negate")
negate_p.def_abstract_eval(lambda x: ShapedArray(x.shape, x.dtype))
mlir.register_lowering(negate_p, _negate, platform="cpu")
kernel_p = Primitive("kernel")
kernel_p.def_abstract_eval(lambda x, y: ShapedArray(x.shape, x.dtype))
mlir.register_lowering(kernel_p, _kernel, platform="cpu")
""",
        r"""
    x = np.array([1.5, -2, 0, 3e38], np.float32)
    negate = jax.jit(k.negate_p.bind)
    return [negate(x), negate(np.arange(4, dtype=np.int32)), jax.jit(k.kernel_p.bind)(x, x)]
""",
    ),
    "opaque": (
        """\
import ctypes
import os
import struct

import numpy as np
from jax.core import Primitive, ShapedArray
from jax.interpreters import mlir
from jax.lib import xla_client
from jaxlib.hlo_helpers import custom_call

library = ctypes.PyDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "libold.so"))


def capsule(name):
    function = getattr(library, name)
    function.restype = ctypes.py_object
    return function()


xla_client.register_custom_call_target(b"scaled", capsule("scaled_capsule"), platform="cpu")


def _scaled(ctx, x, *, key, scale):
    n = ctx.avals_in[0].shape[0]
    descriptor = struct.pack("=i4sd", n, key, scale)
    return custom_call(
        "scaled",
        [x.type],
        [x],
        backend_config=descriptor,
        operand_layouts=[(0,)],
        result_layouts=[(0,)],
        api_version=3,
    )


scaled_p = Primitive("scaled")
scaled_p.def_abstract_eval(lambda x, **_: ShapedArray(x.shape, x.dtype))
mlir.register_lowering(scaled_p, _scaled, platform="cpu")
""",
        r"""
    x = np.array([1.5, -2, 0, 3e38, 7], np.float64)
    return [jax.jit(lambda x: k.scaled_p.bind(x, key=b"\0\xff\"\\", scale=-1.25))(x)]
""",
    ),
    "arrays": (
        HEAD
        + """\
for _name in ("transpose", "halve", "both"):
    xla_client.register_custom_call_target(_name, capsule(f"{_name}_capsule"), platform="cpu")


def _transpose(ctx, x):
    shape = ctx.avals_in[0].shape
    dims = mlir.ir_constant(np.array(shape, dtype=np.int32))
    types = [mlir.aval_to_ir_type(ctx.avals_out[0])]
    return custom_call(
        "transpose", types, [dims, x], operand_layouts=[(0,), (1, 0)], result_layouts=[(1, 0)]
    )


def _halve(ctx, x):
    n = mlir.ir_constant(np.int32(ctx.avals_in[0].size))
    return custom_call("halve", [x.type], [x, n], operand_layouts=[(0,), ()], result_layouts=[(0,)])


def _both(ctx, a, m):
    out = custom_call("both", [a.type], [a, m], operand_layouts=[(0,)] * 2, result_layouts=[(0,)])
    return out


transpose_p = Primitive("transpose")
transpose_p.def_abstract_eval(lambda x: ShapedArray(x.shape[::-1], x.dtype))
mlir.register_lowering(transpose_p, _transpose, platform="cpu")
halve_p = Primitive("halve")
halve_p.def_abstract_eval(lambda x: ShapedArray(x.shape, x.dtype))
mlir.register_lowering(halve_p, _halve, platform="cpu")
both_p = Primitive("both")
both_p.def_abstract_eval(lambda a, m: ShapedArray(a.shape, a.dtype))
mlir.register_lowering(both_p, _both, platform="cpu")
""",
        r"""
    x = (np.arange(6) + 1j * np.arange(6)[::-1]).astype(np.complex64).reshape(2, 3)
    h = jax.numpy.array([1.5, -2, 4], jax.numpy.bfloat16)
    b = jax.jit(k.halve_p.bind)(h)
    a, m = np.arange(-2, 3, dtype=np.int8), np.array([1, 0, 1, 0, 0], bool)
    return [jax.jit(k.transpose_p.bind)(x), b.astype(np.float32), jax.jit(k.both_p.bind)(a, m)]
""",
    ),
    "byctypes": (
        """\
import ctypes
import os

from jax.core import Primitive, ShapedArray
from jax.interpreters import mlir
from jax.lib import xla_client
from jaxlib.hlo_helpers import custom_call

library = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "libold.so"))
PyCapsule_New = ctypes.pythonapi.PyCapsule_New
PyCapsule_New.restype = ctypes.py_object
PyCapsule_New.argtypes = (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)


def register(name, function):
    address = ctypes.cast(function, ctypes.c_void_p)
    xla_client.register_custom_call_target(
        name, PyCapsule_New(address, b"xla._CUSTOM_CALL_TARGET", None), "cpu"
    )


register(b"add_one", library.add_one)
register(b"add_two", library.add_two)


def _lower(name):
    def rule(ctx, x):
        return custom_call(name, [x.type], [x], operand_layouts=[[0]], result_layouts=[[0]])

    return rule


one_p, two_p = Primitive("one"), Primitive("two")
for p, name in ((one_p, "add_one"), (two_p, "add_two")):
    p.def_abstract_eval(lambda x: ShapedArray(x.shape, x.dtype))
    mlir.register_lowering(p, _lower(name), platform="cpu")
""",
        r"""
    x = np.array([1, -2, 2**40])
    return [jax.jit(k.one_p.bind)(x), jax.jit(k.two_p.bind)(x)]
""",
    ),
    "xops": (
        """\
import ctypes
import os
from functools import partial

import numpy as np
from jax import core
from jax.interpreters import xla
from jax.lib import xla_client

xops = xla_client.ops
library = ctypes.PyDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "libold.so"))
for _name in ("scan", "cube"):
    _function = getattr(library, _name + "_capsule")
    _function.restype = ctypes.py_object
    xla_client.register_cpu_custom_call_target(_name.encode(), _function())


def _scan(c, x, *, reverse=False):
    shape = c.get_shape(x)
    n, m = shape.dimensions()
    dtype = shape.element_type()
    matrix = xla_client.Shape.array_shape(dtype, (n, m), (1, 0))
    vector = xla_client.Shape.array_shape(dtype, (n,), (0,))
    scalar = xla_client.Shape.array_shape(np.dtype(np.int32), (), ())
    return xops.CustomCallWithLayout(
        c,
        b"scan",
        operands=(
            xops.ConstantLiteral(c, np.int32(n)),
            xops.ConstantLiteral(c, np.int32(m)),
            x,
        ),
        shape_with_layout=xla_client.Shape.tuple_shape((matrix, vector)),
        operand_shapes_with_layout=(scalar, scalar, matrix),
    )


def _cube(c, x):
    return xops.CustomCallWithLayout(
        c, b"cube", (x,), c.get_shape(x), (c.get_shape(x),)
    )


scan_p = core.Primitive("scan")
scan_p.multiple_results = True
scan_p.def_abstract_eval(
    lambda x: (core.ShapedArray(x.shape, x.dtype), core.ShapedArray(x.shape[:1], x.dtype))
)
xla.backend_specific_translations["cpu"][scan_p] = partial(_scan)
cube_p = core.Primitive("cube")
cube_p.def_abstract_eval(lambda x: core.ShapedArray(x.shape, x.dtype))
xla.backend_specific_translations["cpu"][cube_p] = _cube
""",
        r"""
    x = np.arange(6, dtype=np.float32).reshape(2, 3) / 7
    return [*jax.jit(k.scan_p.bind)(x), jax.jit(k.cube_p.bind)(np.float32(1.1))]
""",
    ),
    "inplace": (
        """\
import ctypes
import os

import numpy as np
from jax.core import Primitive, ShapedArray
from jax.interpreters import mlir
from jax.lib import xla_client
from jaxlib import hlo_helpers as hlo

library = ctypes.PyDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "libold.so"))


def capsule(name):
    function = getattr(library, name)
    function.restype = ctypes.py_object
    return function()


xla_client.register_custom_call_target(
    "bump",
    capsule("bump_capsule"),
    "cpu",
)


def lowering(ctx, x, by):
    return hlo.custom_call(
        "bump",
        out_types=[x.type],
        operands=[x, by],
        operand_layouts=[(0,), ()],
        result_layouts=[(0,)],
        operand_output_aliases={0: 0},
        has_side_effect=True,
    )


bump_p = Primitive("bump")
bump_p.def_abstract_eval(lambda x, by: ShapedArray(x.shape, x.dtype))
mlir.register_lowering(bump_p, lowering, platform="cpu")
""",
        r"""
    x = np.arange(4, dtype=np.float32)
    f = jax.jit(k.bump_p.bind)
    try:
        jax.block_until_ready(f(x, np.int32(-1)))
    except Exception as error:
        assert "negative" in str(error), error
    else:
        raise AssertionError("no failure")
    return [f(x, np.int32(5))]
""",
    ),
    "sorting": (
        """\
import ctypes
import os

import numpy as np
from jax.core import Primitive, ShapedArray
from jax.interpreters import mlir
from jax.lib import xla_client
from jaxlib import hlo_helpers

library = ctypes.PyDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "libold.so"))


def capsule(name):
    function = getattr(library, name)
    function.restype = ctypes.py_object
    return function()


xla_client.register_custom_call_target(b"sorted", capsule("sorted_capsule"), platform="cpu")
xla_client.register_custom_call_target(b"repeat", capsule("repeat_capsule"), platform="cpu")


def _sorted(ctx, x):
    (y,) = hlo_helpers.custom_call(b"sorted", [x.type], [x])
    return [y]


def _repeat(ctx, x, *, times):
    n = ctx.avals_in[0].shape[0]
    out = mlir.ir.RankedTensorType.get([n * times], mlir.dtype_to_ir_type(np.dtype(np.int32)))
    return hlo_helpers.custom_call(
        "repeat", out_types=[out], operands=[x], backend_config=f"{n},{times}", api_version=3
    )


sorted_p = Primitive("sorted")
sorted_p.def_abstract_eval(lambda x: ShapedArray(x.shape, x.dtype))
mlir.register_lowering(sorted_p, _sorted, platform="cpu")
repeat_p = Primitive("repeat")
repeat_p.def_abstract_eval(lambda x, times: ShapedArray((x.shape[0] * times,), x.dtype))
mlir.register_lowering(repeat_p, _repeat, platform="cpu")
""",
        r"""
    x = np.array([3, 1, 4, 1, 5], np.float32)
    repeat = jax.jit(lambda x: k.repeat_p.bind(x, times=3))
    return [jax.jit(k.sorted_p.bind)(x), repeat(np.arange(4, dtype=np.int32))]
""",
    ),
    "kepler": (
        HEAD
        + """\
for _name in ("kepler_f32", "kepler_f64"):
    xla_client.register_custom_call_target(
        bytes(_name, "utf-8"), capsule(f"{_name}_capsule"), platform="cpu"
    )


def _default_layouts(*shapes):
    return [range(len(shape) - 1, -1, -1) for shape in shapes]


def _kepler(ctx, mean, ecc):
    aval, _ = ctx.avals_in
    size = np.prod(aval.shape).astype(np.int64)
    dtype = mlir.ir.RankedTensorType(mean.type)
    if aval.dtype == np.float32:
        op_name = "kepler_f32"
    elif aval.dtype == np.float64:
        op_name = "kepler_f64"
    else:
        raise NotImplementedError(f"unsupported dtype {aval.dtype}")
    return custom_call(
        op_name,
        out_types=[dtype, dtype],
        operands=[mlir.ir_constant(size), mean, ecc],
        operand_layouts=_default_layouts((), aval.shape, aval.shape),
        result_layouts=_default_layouts(aval.shape, aval.shape),
    )


kepler_p = Primitive("kepler")
kepler_p.multiple_results = True
kepler_p.def_abstract_eval(lambda m, e: (ShapedArray(m.shape, m.dtype),) * 2)
mlir.register_lowering(kepler_p, _kepler, platform="cpu")
""",
        r"""
    x = np.arange(6).reshape(2, 3) / 7
    out = []
    for t in (np.float32, np.float64):
        out += jax.jit(k.kepler_p.bind)(x.astype(t), x.astype(t)[::-1])
    return out
""",
    ),
    "iota": (
        HEAD
        + """\
xla_client.register_custom_call_target(b"iota", capsule("iota_capsule"), platform="cpu")


def _iota(ctx, *, start):
    type_ = mlir.ir.RankedTensorType.get((6,), mlir.dtype_to_ir_type(np.dtype(np.int64)))
    return custom_call("iota", [type_], [], backend_config=np.int64(start).tobytes(), api_version=3)


iota_p = Primitive("iota")
iota_p.def_abstract_eval(lambda start: ShapedArray((6,), np.dtype(np.int64)))
mlir.register_lowering(iota_p, _iota, platform="cpu")
""",
        r"""
    return [jax.jit(lambda: k.iota_p.bind(start=2**40 + 255))()]
""",
    ),
    "variadic": (
        HEAD
        + """\
class Sum:
    name = "sum3"

    def __init__(self):
        self.primitive = Primitive(self.name)
        self.primitive.def_abstract_eval(lambda *x: ShapedArray(x[0].shape, x[0].dtype))
        mlir.register_lowering(self.primitive, self.lower, platform="cpu")
        xla_client.register_custom_call_target(self.name, capsule("sum3_capsule"), platform="cpu")

    def lower(self, ctx, *operands):
        return custom_call(
            self.name,
            out_types=[operands[0].type],
            operands=list(operands),
            operand_layouts=[(0,) for _ in operands],
            result_layouts=[(0,)],
        )


sum_p = Sum().primitive
""",
        r"""
    x = np.array([1.25, -3])
    return [jax.jit(lambda x: k.sum_p.bind(x, 2 * x, x + 1))(x)]
""",
    ),
}
