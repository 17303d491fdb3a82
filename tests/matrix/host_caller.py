"""Calls the suite's handlers by callbridge's own host, in the shape of any release of jaxlib."""

import ctypes

import cases
import numpy as np

_c = ctypes


class Error(_c.Structure):
    _fields_ = [
        ("struct_size", _c.c_size_t),
        ("code", _c.c_int32),
        ("message", _c.c_char_p),
        ("message_size", _c.c_size_t),
    ]


def _struct(*fields):
    class Struct(_c.Structure):
        _fields_ = [("struct_size", _c.c_size_t), *fields]

        def __init__(self, **values):
            super().__init__(_c.sizeof(type(self)), **values)

    return Struct


_pointer = _c.c_void_p
Handlers = _struct(
    *((stage, _pointer) for stage in ("instantiate", "prepare", "initialize", "execute", "record"))
)
Services = _struct(
    ("stream", _pointer),
    ("device_ordinal", _pointer),
    ("run_id", _pointer),
    ("thread_pool", _pointer),
    ("scratch", _pointer),
    ("user_data_types", _pointer),
    ("user_data", _pointer),
    ("user_data_count", _c.c_size_t),
    ("custom_options", _pointer),
    ("extensions", _pointer),
)
Target = _struct(
    ("name", _c.c_char_p),
    ("platform", _c.c_char_p),
    ("api_version", _c.c_int32),
    ("api_version_is_proved", _c.c_int32),
    ("address", _pointer),
    ("evidence", _c.c_char_p),
    *((stage, _pointer) for stage in ("instantiate", "prepare", "initialize", "record")),
)
Site = _struct(
    ("tuple_layout", _c.c_int32),
    ("operands", _pointer),
    ("operand_count", _c.c_size_t),
    ("result", _c.c_char_p),
    ("opaque", _c.c_char_p),
    ("opaque_size", _c.c_size_t),
    ("attributes", _pointer),
    ("release", _c.c_char_p),
)
ExecutionContext = _struct(("stream", _pointer), ("services", _pointer), ("as_xla_cpu", _c.c_int32))


class Extension(_c.Structure):
    """XLA_FFI_Extension, then the suite's ServiceNumber."""

    _fields_ = [
        ("struct_size", _c.c_size_t),
        ("extension_type", _c.c_int64),
        ("major_version", _c.c_int32),
        ("minor_version", _c.c_int32),
        ("next", _pointer),
        ("number", _c.c_int64),
    ]


class HandlerError(Exception):
    pass


class Callbridge:
    """libcallbridge.so, by ctypes alone: so that every Python of the matrix can use it."""

    def __init__(self, path):
        self.library = _c.CDLL(path)
        self.library.callbridge_error_code_name.restype = _c.c_char_p
        self.library.callbridge_error_destroy.argtypes = [_pointer]

    def __call__(self, name, *arguments):
        function = getattr(self.library, "callbridge_" + name)
        function.restype = _c.POINTER(Error)
        error = function(*arguments)
        if not error:
            return
        code = self.library.callbridge_error_code_name(error.contents.code).decode()
        message = _c.string_at(error.contents.message, error.contents.message_size)
        self.library.callbridge_error_destroy(error)
        raise HandlerError(f"{code}: {message.decode(errors='replace')}")

    def adapt(self, jaxlib_release):
        """For jaxlib_caller: what to register in the place of handlers of any headers."""

        def adapt(stages):
            adapted = Handlers()
            self(
                "ffi_adapt_handlers",
                _c.byref(Handlers(**stages)),
                b"cpu",
                jaxlib_release.encode(),
                _c.byref(adapted),
            )
            return {stage: getattr(adapted, stage) for stage in stages}

        return adapt

    def register_type(self, name, type_id, deleter):
        name = name.encode()
        self(
            "ffi_register_type",
            name,
            _pointer(type_id),
            _pointer(deleter),
        )


class Caller:
    def __init__(self, callbridge, library, release):
        self._callbridge = callbridge
        self._library = library
        self._release = release

    def address_of(self, symbol):
        return _c.addressof(_c.c_char.in_dll(self._library, symbol))

    def _handler(self, symbol):
        return _c.cast(getattr(self._library, symbol), _pointer).value

    def _attributes(self, attributes):
        made = _pointer()
        self._callbridge("ffi_attributes_create", _c.byref(made))
        for name, value in attributes.items():
            name = name.encode()
            first = (made, name)
            if isinstance(value, cases.Address):
                value = cases.Scalar("s64", self.address_of(value.symbol))
            if isinstance(value, bytes):
                self._callbridge(
                    "ffi_attributes_set_string", *first, value, _c.c_size_t(len(value))
                )
            elif isinstance(value, dict):
                inner = self._attributes(value)
                self._callbridge("ffi_attributes_set_dictionary", *first, inner)
                self._callbridge.library.callbridge_ffi_attributes_destroy(inner)
            elif isinstance(value, cases.Scalar):
                data = np.array(value.value, cases.NUMPY[value.type]).tobytes()
                self._callbridge(
                    "ffi_attributes_set_scalar", *first, cases.NUMBERS[value.type], data
                )
            else:
                data = np.array(value.values, cases.NUMPY[value.type]).tobytes()
                self._callbridge(
                    "ffi_attributes_set_array",
                    *first,
                    cases.NUMBERS[value.type],
                    data,
                    _c.c_size_t(len(value.values)),
                )
        return made

    def _services(self, lent, kept):
        """`kept` keeps what the services point to."""

        def keep(value):
            kept.append(value)
            return _c.cast(_c.pointer(value), _pointer)

        library = self._callbridge.library
        for name in ("callbridge_ffi_process_threads", "callbridge_ffi_host_memory"):
            getattr(library, name).restype = _pointer
        services = Services(
            device_ordinal=keep(_c.c_int32(0)),
            run_id=keep(_c.c_int64(77)),
            thread_pool=library.callbridge_ffi_process_threads(),
        )
        if "scratch" in lent:
            services.scratch = library.callbridge_ffi_host_memory()
        if "stream" in lent:
            services.stream = keep(_pointer(lent["stream"]))
        if "user_data" in lent:
            get_type, number = lent["user_data"]
            function = getattr(self._library, get_type)
            function.restype = _c.POINTER(_c.c_int64)
            services.user_data_types = keep(_c.c_int64(function().contents.value))
            services.user_data = keep(_pointer(keep(_c.c_double(number)).value))
            services.user_data_count = 1
        if "custom_options" in lent:
            services.custom_options = self._attributes(lent["custom_options"])
        if "extension" in lent:
            type_, major, minor, number = lent["extension"]
            services.extensions = keep(
                Extension(_c.sizeof(Extension), type_, major, minor, None, number)
            )
        return services

    def call(self, case):
        """The results as bytes; raises HandlerError."""

        def shapes(values):
            return [
                f"{value.type}[{','.join(map(str, value.dimensions))}]".encode() for value in values
            ]

        kept = []
        services = self._services(case.host or {}, kept)
        context = ExecutionContext(services=_c.addressof(services))
        operand_shapes = shapes(case.operands)
        operand_shapes = (_c.c_char_p * len(operand_shapes))(*operand_shapes)
        attributes = self._attributes(case.attributes)
        site = Site(
            operands=_c.cast(operand_shapes, _pointer),
            operand_count=len(case.operands),
            result=b"(" + b",".join(shapes(case.results)) + b")",
            attributes=attributes,
            release=self._release.encode(),
        )
        stages = {stage: self._handler(symbol) for stage, symbol in case.stages.items()}
        target = Target(
            name=b"handler",
            platform=b"Host",
            api_version=4,
            address=self._handler(case.handler),
            **stages,
        )
        call = _pointer()
        self._callbridge(
            "call_bind", _c.byref(target), _c.byref(site), _c.byref(context), _c.byref(call)
        )
        try:
            operands = [_c.create_string_buffer(cases.to_bytes(v) or b"\0") for v in case.operands]
            sizes = [len(cases.to_bytes(value)) for value in case.results]
            results = [_c.create_string_buffer(max(size, 1)) for size in sizes]

            def pointers(buffers):
                return (_pointer * len(buffers))(*(_c.addressof(buffer) for buffer in buffers))

            for _ in range(case.calls):
                run = _pointer()
                self._callbridge(
                    "call_start",
                    call,
                    pointers(operands),
                    _c.c_size_t(len(operands)),
                    pointers(results),
                    _c.c_size_t(len(results)),
                    _c.byref(context),
                    None,
                    None,
                    _c.byref(run),
                )
                try:
                    self._callbridge("run_wait", run, _c.c_int64(10000))
                finally:
                    self._callbridge.library.callbridge_run_destroy(run)
        finally:
            self._callbridge.library.callbridge_call_destroy(call)
            self._callbridge.library.callbridge_ffi_attributes_destroy(attributes)
        return [
            buffer.raw[:size]
            for buffer, size, value in zip(results, sizes, case.results, strict=True)
            if value.type != "token"
        ]
