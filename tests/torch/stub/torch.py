"""As much of PyTorch as callbridge.torch uses in calls outside of transforms, made of NumPy.

`make test` has no PyTorch: the logic of callbridge.torch runs over this there, and what PyTorch
itself does with operators is not tested. A tensor's memory is a NumPy array's, whatever its device.
"""

import builtins
import contextlib
import sys
import types

import numpy as np

__path__ = []  # a package, whose modules are made here
__version__ = "2.15.0+stub"


class Lacking(AttributeError):
    """A test needs PyTorch itself."""


def __getattr__(name):
    raise Lacking(f"the stub of torch has no {name}")


def lacking(*_, **__):
    raise Lacking("the stub of torch does not do that")


def _module(name, **members):
    made = types.ModuleType(f"torch.{name}")
    made.__path__ = []
    vars(made).update(members)
    made.__getattr__ = lambda attribute: __getattr__(f"{name}.{attribute}")
    sys.modules[made.__name__] = made
    parent, _, last = made.__name__.rpartition(".")
    setattr(sys.modules[parent], last, made)
    return made


class dtype:  # noqa: N801
    def __init__(self, name, size):
        self.name, self.itemsize = name, size
        self.is_complex = name.startswith("complex")
        self.is_floating_point = "float" in name

    def __repr__(self):
        return f"torch.{self.name}"


for _name in (
    *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    *("float16", "float32", "float64", "complex64", "complex128"),
):
    globals()[_name] = dtype(_name, np.dtype(_name).itemsize)
bfloat16, complex32 = dtype("bfloat16", 2), dtype("complex32", 4)
for _name in ("e4m3fn", "e4m3fnuz", "e5m2", "e5m2fnuz"):
    globals()[f"float8_{_name}"] = dtype(f"float8_{_name}", 1)
_DTYPES = {value.name: value for value in list(globals().values()) if isinstance(value, dtype)}


class layout:  # noqa: N801
    def __init__(self, name):
        self.name = name

    def __repr__(self):
        return f"torch.{self.name}"


for _name in ("strided", "sparse_coo", "sparse_csr", "sparse_csc", "sparse_bsr", "sparse_bsc",
              "_mkldnn", "jagged"):  # fmt: skip
    globals()[_name] = layout(_name)
contiguous_format = object()


class device:  # noqa: N801
    def __init__(self, type_, index=None):
        kind, _, number = str(type_).partition(":")
        self.type = kind
        self.index = int(number) if number else index
        if self.index is None and kind == "cuda":
            self.index = 0

    __enter__ = lacking

    def __exit__(self, *_):
        """Never entered."""

    def __eq__(self, other):
        return (self.type, self.index) == (other.type, other.index)

    def __hash__(self):
        return hash((self.type, self.index))

    def __repr__(self):
        return self.type if self.index is None else f"{self.type}:{self.index}"


class SymInt:
    pass


def _aligned(shape, kind):
    """As torch's allocator does."""
    size = int(np.prod(shape, dtype=np.int64)) * kind.itemsize
    try:
        memory = np.zeros(size + 64, np.uint8)
    except MemoryError:
        lacking()
    first = -memory.ctypes.data % 64
    return memory[first : first + size].view(_numpy(kind)).reshape(shape)


def _numpy(kind):
    try:
        return np.dtype(kind.name)
    except TypeError:  # of ml_dtypes, by its bits
        return np.dtype(f"uint{8 * kind.itemsize}")


class Size(tuple):
    pass


class Tensor:
    is_nested = is_quantized = False
    layout = strided  # noqa: F821

    def __init__(self, array, kind=None, on="cpu", requires_grad=False):
        self.array = array
        self.dtype = kind or _DTYPES[array.dtype.name]
        self.device = device(on) if isinstance(on, str) else on
        self.requires_grad = requires_grad
        self.version = 0
        self.lazily_conjugate = self.lazily_negative = False

    shape = property(lambda self: Size(self.array.shape))
    is_cuda = property(lambda self: self.device.type == "cuda")
    ndim = property(lambda self: self.array.ndim)

    def _like(self, array):
        return type(self)(array, self.dtype, self.device)

    def __getitem__(self, index):
        found = self.array[index]
        return self._like(found if isinstance(found, np.ndarray) else np.array(found))

    def stride(self):
        return tuple(step // self.dtype.itemsize for step in self.array.strides)

    def is_contiguous(self):
        return self.array.flags.c_contiguous

    def data_ptr(self):
        return self.array.ctypes.data if self.array.size else 0

    def element_size(self):
        return self.dtype.itemsize

    def numel(self):
        return self.array.size

    def is_conj(self):
        return self.lazily_conjugate

    def is_neg(self):
        return self.lazily_negative

    def is_inference(self):
        return False

    def as_subclass(self, kind):
        return self if type(self) is kind else lacking()

    def resolve_conj(self):
        return self._like(np.conj(self.array)) if self.lazily_conjugate else self

    def resolve_neg(self):
        return self._like(-self.array) if self.lazily_negative else self

    def contiguous(self):
        return self if self.is_contiguous() else self.clone()

    def clone(self, memory_format=None):
        made = _aligned(self.shape, self.dtype)
        made[...] = self.array
        return self._like(made)

    def copy_(self, other):
        self.array[...] = other.array
        return self

    def movedim(self, source, target):
        return self._like(np.moveaxis(self.array, source, target))

    def expand(self, *sizes):
        known = zip(sizes, (0,) * (len(sizes) - self.ndim) + self.shape)
        return self._like(np.broadcast_to(self.array, [k if n == -1 else n for n, k in known]))

    def unfold(self, axis, size, step):
        windows = np.lib.stride_tricks.sliding_window_view(self.array, size, axis)
        return self._like(windows[(np.s_[:],) * axis + (np.s_[::step],)])

    def as_strided(self, sizes, strides, first):
        steps = [n * self.dtype.itemsize for n in strides]
        array = self.array.reshape(-1)[first:]
        return self._like(np.lib.stride_tricks.as_strided(array, sizes, steps))

    def long(self):
        return self.to(int64)  # noqa: F821

    def backward(self):
        lacking()

    def _of_layout(self, kind):
        made = self.clone()
        made.layout = kind
        return made

    def to_sparse(self):
        return self._of_layout(sparse_coo)  # noqa: F821

    def to_sparse_csr(self):
        return self._of_layout(sparse_csr)  # noqa: F821

    def to_mkldnn(self):
        return self._of_layout(_mkldnn)  # noqa: F821

    def to(self, where=None, memory_format=None):
        if where is None:
            lacking()
        if isinstance(where, dtype):
            return Tensor(self.array.astype(_numpy(where)), where, self.device)
        made = self.clone()
        made.device = device(where) if isinstance(where, str) else where
        return made

    def tolist(self):
        return self.array.tolist()

    def item(self):
        return self.array.item()

    def numpy(self):
        return self.array

    def detach(self):
        return self._like(self.array)

    def requires_grad_(self, required=True):
        self.requires_grad = required
        return self

    def new_empty(self, *shape):
        return empty(*shape, dtype=self.dtype, device=self.device)

    def round(self):
        return self._like(self.array.round())

    def cpu(self):
        return self.to("cpu")

    def size(self):
        return self.shape

    def t(self):
        return self._like(self.array.T)

    def reshape(self, *shape):
        return self._like(self.array.reshape(*shape))

    def view(self, *what):
        if not isinstance(what[0], dtype):
            return self.reshape(*what)
        return Tensor(self.array.view(_numpy(what[0])), what[0], self.device)

    def int(self):
        return self.to(int32)  # noqa: F821

    def float(self):
        return self.to(float32)  # noqa: F821

    def flip(self, *axes):
        return self._like(np.ascontiguousarray(np.flip(self.array, axes)))

    def transpose(self, one, other):
        return self._like(self.array.swapaxes(one, other))

    def dim(self):
        return self.array.ndim

    def mul_(self, value):
        self.array *= value.array if isinstance(value, Tensor) else value
        return self

    _version = property(lambda self: self.version)

    def fill_(self, value):
        self.array[...] = value
        return self

    def add_(self, value):
        self.array += value.array if isinstance(value, Tensor) else value
        return self

    def conj(self):
        made = self._like(self.array)
        made.lazily_conjugate = not self.lazily_conjugate
        return made

    def sum(self, dim=None):
        return self._like(np.asarray(self.array.sum(dim)))

    def __deepcopy__(self, memo):
        return self.clone()

    @property
    def T(self):
        return self.t()

    @property
    def is_sparse(self):
        return False

    def __int__(self):
        return builtins.int(self.array)

    def __float__(self):
        return builtins.float(self.array)

    def __bool__(self):
        return builtins.bool(self.array)

    def __len__(self):
        return len(self.array)

    def __iter__(self):
        return (self[i] for i in range(len(self)))

    def __setitem__(self, index, value):
        self.array[index] = value.array if isinstance(value, Tensor) else value

    __hash__ = object.__hash__

    def __getattr__(self, name):
        raise Lacking(f"the stub's tensors have no {name}")

    def double(self):
        return self.to(float64)  # noqa: F821

    def __array__(self, dtype=None, copy=None):
        return self.array


def _operation(name):
    def operate(self, *others):
        arrays = [o.array if isinstance(o, Tensor) else o for o in others]
        found = np.asarray(getattr(self.array, name)(*arrays))
        made = empty(found.shape, dtype=_DTYPES[found.dtype.name])
        made.array[...] = found
        given = [self, *[o for o in others if isinstance(o, Tensor)]]
        made.requires_grad = _Grad.is_enabled and any(t.requires_grad for t in given)
        return made

    return operate


for _name in ("add", "sub", "mul", "truediv", "radd", "rsub", "rmul", "neg", "eq", "ne", "lt",
              "gt", "le", "ge", "matmul"):  # fmt: skip
    setattr(Tensor, f"__{_name}__", _operation(f"__{_name}__"))


class Parameter(Tensor):
    def __init__(self, of, *others, requires_grad=True):
        if isinstance(of, Tensor):
            others = of.dtype, of.device
        super().__init__(of.array if isinstance(of, Tensor) else of, *others)
        self.requires_grad = requires_grad


def empty(*shape, dtype=None, device="cpu", requires_grad=False):  # noqa: A002
    shape = shape[0] if shape and isinstance(shape[0], (tuple, list)) else shape
    kind = dtype or _DTYPES["float32"]
    return Tensor(_aligned(tuple(shape), kind), kind, device, requires_grad)


def randn(*shape, **options):
    made = empty(*shape, **options)
    made.array[...] = np.random.default_rng(made.numel()).standard_normal(made.shape)
    return made


def zeros(*shape, **options):
    return empty(*shape, **options)


def ones(*shape, **options):
    return empty(*shape, **options).fill_(1)


def full(shape, value, **options):
    return empty(shape, **options).fill_(value)


def arange(*bounds, dtype=None):
    is_whole = all(isinstance(bound, builtins.int) for bound in bounds)
    return tensor(np.arange(*bounds).tolist(), dtype or (None if is_whole else float32))  # noqa: F821


def quantize_per_tensor(of, *_):
    made = of.clone()
    made.is_quantized = True
    return made


quint8 = None


def from_numpy(array):
    return Tensor(array)


as_tensor = from_numpy


def equal(one, other):
    return one.dtype is other.dtype and np.array_equal(one.array, other.array)


def tensor(values, dtype=None, device="cpu", requires_grad=False):  # noqa: A002
    array = np.asarray(values)
    is_own = isinstance(values, (np.ndarray, np.generic))
    narrow = "float32" if array.dtype == np.float64 and not is_own else array.dtype.name
    made = empty(array.shape, dtype=dtype or _DTYPES[narrow], device=device)
    made.array[...] = array
    return made.requires_grad_(requires_grad)


def stack(tensors):
    made = empty((len(tensors), *tensors[0].shape), dtype=tensors[0].dtype)
    made.array[...] = [each.array for each in tensors]
    return made


class _Grad:
    is_enabled = True


def is_grad_enabled():
    return _Grad.is_enabled


@contextlib.contextmanager
def no_grad():
    before, _Grad.is_enabled = _Grad.is_enabled, False
    try:
        yield
    finally:
        _Grad.is_enabled = before


# ---- Operators -----------------------------------------------------------------------------------

ops = types.SimpleNamespace(callbridge=types.SimpleNamespace())
Tag = types.SimpleNamespace(pt2_compliant_tag="compliant")
# Of a call on several devices, the first.
KEYS = {"meta": "fake", "xla": "XLA", "cuda": "CUDA", "cpu": "CPU"}


class Overload:
    """Calls the kernel for the first tensor's device."""

    def __getattr__(self, name):
        raise Lacking(f"the stub's operators have no {name}")

    def __init__(self, schema):
        self.schema = self._schema = schema
        self.kernels, self.autograd = {}, None
        self._op = self

    def __call__(self, *tensors):
        if any(type(t) is Mapped for t in tensors):
            return self.kernels["FuncTorchBatched"](*tensors)
        result = self._kernel_for(tensors)(*tensors)
        if self.autograd is not None and any(t.requires_grad for t in tensors):
            for each in (result,) if isinstance(result, Tensor) else result or ():
                each.requires_grad = _Grad.is_enabled and each.dtype.is_floating_point
        return result

    def _kernel_for(self, tensors):
        devices = {t.device.type for t in tensors}
        key = next((key for kind, key in KEYS.items() if kind in devices), None)
        is_plain = all(t.layout is strided and not t.is_quantized for t in tensors)  # noqa: F821
        if key != "fake" and (not is_plain or key not in self.kernels):
            key = "CompositeExplicitAutograd"
        elif any(t.lazily_conjugate for t in tensors) and "Conjugate" in self.kernels:
            key = "Conjugate"
        return self.kernels[key]


class Library:
    def __init__(self, namespace, kind):
        assert (namespace, kind) == ("callbridge", "FRAGMENT")

    def define(self, schema, tags=()):
        assert tags == ("compliant",)
        packet = types.SimpleNamespace(default=Overload(schema))
        setattr(ops.callbridge, schema.partition("(")[0], packet)

    def impl(self, name, kernel, dispatch_key):
        getattr(ops.callbridge, name).default.kernels[dispatch_key] = kernel


def _of(name):
    assert name.startswith("callbridge::")
    return getattr(ops.callbridge, name.removeprefix("callbridge::")).default


def _register_fake(name, kernel, lib):
    _of(name).kernels["fake"] = kernel


def _register_autograd(name, backward, setup_context, lib):
    _of(name).autograd = backward, setup_context


sys.modules.setdefault("torch", sys.modules[__name__])
_module("library", Library=Library, register_fake=_register_fake,
        register_autograd=_register_autograd)  # fmt: skip
_module("nn", Parameter=Parameter, Module=type("Module", (), {"__init__": lacking}))
_module("version", hip=None, cuda="12.8")
_module("autograd")
_module("autograd.forward_ad", _current_level=-1,
        unpack_dual=lambda t: types.SimpleNamespace(tangent=None))  # fmt: skip
_module("autograd.graph", increment_version=lambda t: setattr(t, "version", t.version + 1))


class _Traced:
    now = False


def compile(function, **_):  # noqa: A001
    """Calls the function as one that torch.compile traces."""

    def compiled(*operands):
        before, _Traced.now = _Traced.now, True
        try:
            return function(*operands)
        finally:
            _Traced.now = before

    return compiled


_module("compiler", is_dynamo_compiling=lambda: _Traced.now, reset=lambda: None)
_module("utils")
_module("utils._python_dispatch", _disable_current_modes=contextlib.nullcontext,
        TorchDispatchMode=type(
            "TorchDispatchMode", (), {"__enter__": lacking, "__exit__": lacking}
        ))  # fmt: skip


# ---- GPUs, whose memory is the host's ------------------------------------------------------------


class _Cuda:
    device = 0
    streams = [0, 0]


@contextlib.contextmanager
def _device(index):
    before, _Cuda.device = _Cuda.device, device(index).index if isinstance(index, str) else index
    try:
        yield
    finally:
        _Cuda.device = before


class _Stream:
    def __init__(self, where):
        self.index = device(where).index
        self.cuda_stream = 4096 + self.index


@contextlib.contextmanager
def _stream(stream):
    before, _Cuda.streams[stream.index] = _Cuda.streams[stream.index], stream.cuda_stream
    try:
        yield
    finally:
        _Cuda.streams[stream.index] = before


_module("cuda", is_available=lambda: False, current_device=lambda: _Cuda.device, device=_device,
        Stream=_Stream, stream=_stream)  # fmt: skip
_module("_ops", OpOverload=Overload)
_module("_dynamo", reset=lambda: None)
_module("_subclasses")
_module("_subclasses.fake_tensor", FakeTensorMode=lacking)


def _nested_tensor(parts, layout=None):
    made = ones(len(parts))
    made.is_nested, made.layout = True, jagged  # noqa: F821
    return made


_module("nested", nested_tensor=_nested_tensor)
_module("_higher_order_ops")
EFFECTS = []
_module("_higher_order_ops.effects", _EffectType=types.SimpleNamespace(ORDERED="ordered"),
        _register_effectful_op=lambda op, kind: EFFECTS.append((op, kind)))  # fmt: skip
_module("_C", _cuda_getCurrentRawStream=lambda index: _Cuda.streams[index],
        _are_functorch_transforms_active=lambda: False,
        DisableTorchFunctionSubclass=contextlib.nullcontext,
        DispatchKeySet=lambda key: key,
        DispatchKey=types.SimpleNamespace(FuncTorchBatched="batched"),
        _ExcludeDispatchKeyGuard=contextlib.nullcontext,
        _AutoDispatchBelowAutograd=contextlib.nullcontext)  # fmt: skip


def _empty_strided_cpu(shape, strides, kind):
    expected = [
        builtins.int(np.prod([max(n, 1) for n in shape[i + 1 :]])) for i in range(len(shape))
    ]
    assert list(strides) == expected, (shape, strides)
    return empty(shape, dtype=kind)


_module("_C._dynamo")
_module("_C._dynamo.guards", _empty_strided_cpu=_empty_strided_cpu)

# ---- torch.vmap ----------------------------------------------------------------------------------


class Mapped(Tensor):
    """A tensor that torch.vmap maps over a dimension; it has the others."""

    def __init__(self, whole, dimension):
        super().__init__(
            np.moveaxis(whole.array, dimension, 0)[:0].sum(0), whole.dtype, whole.device
        )
        self.whole, self.dimension = whole, dimension

    def _like(self, array):
        return Tensor(array, self.dtype, self.device)


class _Batch:
    now = None
    size = None

    level = lambda self: 1  # noqa: E731
    batch_size = lambda self: self.size  # noqa: E731
    randomness = lambda self: "error"  # noqa: E731


def _unwrap(tensors, level):
    assert level == 1
    pairs = [(t.whole, t.dimension) if type(t) is Mapped else (t, None) for t in tensors]
    return tuple(zip(*pairs)) if pairs else ((), ())


def _wrap(result, dimensions, level):
    if isinstance(result, tuple):
        return tuple(map(_wrap, result, dimensions, [level] * len(result)))
    return result if result is None or dimensions is None else Mapped(result, dimensions)


def _mapped_over(tree, dimensions):
    if isinstance(tree, tuple):
        each = dimensions if isinstance(dimensions, tuple) else [dimensions] * len(tree)
        return tuple(map(_mapped_over, tree, each))
    if dimensions is None:
        return tree
    dimension = dimensions % tree.ndim
    assert _Batch.now.size in (None, tree.shape[dimension])
    _Batch.now.size = tree.shape[dimension]
    return Mapped(tree, dimension)


def _whole_of(tree, dimensions):
    if dimensions is None:
        return tree
    if isinstance(tree, tuple):
        each = dimensions if isinstance(dimensions, tuple) else [dimensions] * len(tree)
        return tuple(map(_whole_of, tree, each))
    if type(tree) is not Mapped:
        return stack([tree] * _Batch.now.size)
    return tree.whole.movedim(tree.dimension, dimensions)


def vmap(function, in_dims=0, out_dims=0):
    def call(*operands):
        _Batch.now = _Batch()
        try:
            each = in_dims if isinstance(in_dims, tuple) else (in_dims,) * len(operands)
            mapped = tuple(map(_mapped_over, operands, each))
            return _whole_of(function(*mapped), out_dims)
        finally:
            _Batch.now = None

    return call


_C._are_functorch_transforms_active = lambda: _Batch.now is not None  # noqa: F821
_module("_functorch")
_module(
    "_functorch.autograd_function",
    unwrap_batched=_unwrap,
    wrap_batched=_wrap,
    VmapInfo=lambda size, randomness: types.SimpleNamespace(batch_size=size, randomness=randomness),
)
_module("_functorch.pyfunctorch", retrieve_current_functorch_interpreter=lambda: _Batch.now)
