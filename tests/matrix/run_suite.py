"""Asks the handlers of one library of the suite all that cases.py has, and prints what came of it.

  run_suite.py MODE LIBRARY [--headers N] [--callbridge libcallbridge.so] [--release R] [case...]

MODE: `native`, as they are in this Python's jaxlib; `cross_version`, in it too but through
callbridge; `host`, by callbridge's own host in the shape of release R, no jaxlib needed. N is what
SUITE_HEADERS was, 9999 for callbridge's own headers. Prints JSON: {case: [outcome, text]}, outcome
being

  ok             as it must be
  unimplemented  the runtime does not offer what the handler asks for, and the error names it
  error          another answer
  crash          the process ended
  hang           it did not answer

Cases that these headers or this runtime cannot have are left out. Each run of cases has a process
of its own, and the next one goes on after a case that ended it.
"""

import argparse
import ctypes
import json
import os
import pathlib
import re
import select
import signal
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "typed_ffi/suite")]

import cases  # noqa: E402
import exported_cases  # noqa: E402
import headers  # noqa: E402
import host_caller  # noqa: E402

HANGS_AFTER_SECONDS = 60


def selected(options, runtime):
    for case in options.suite:
        if case.since > options.headers or (options.cases and case.name not in options.cases):
            continue
        if options.mode != "host" and case.host is not None:
            continue
        needed = set(case.program)
        if options.mode == "host":
            needed &= {"table of 0.4.31"}
        if options.mode in ("cross_version", "resurrect"):
            needed -= {"types by name"}
        # XLA's own headers, where they run, have the table that they know.
        if options.headers != cases.OURS:
            needed -= {"table of 0.4.31"}
        if any(cases.PROGRAMS_WITH[need] > runtime for need in needed):
            continue
        # XLA's headers let exceptions go on, which ends the process.
        if case.name == "throws" and options.mode == "native" and options.headers != cases.OURS:
            continue
        yield case


class Types:
    """The suite's user types, as far as a library has them."""

    NAMES = ("counter", "note", "weight")

    def __init__(self, library):
        self._library = library

    def _get(self, symbol):
        if not hasattr(self._library, symbol):
            return None
        function = getattr(self._library, symbol)
        function.restype = ctypes.c_void_p
        return function()

    def each(self):
        """Name, address of the type id, of the type info or None, of the deleter or None."""
        for name in self.NAMES:
            type_id = self._get(f"{name}_type_id")
            if type_id is None:
                continue
            deleter = getattr(self._library, f"delete_{name}", None)
            yield (
                f"callbridge suite {name}",
                type_id,
                self._get(f"{name}_type_info"),
                ctypes.cast(deleter, ctypes.c_void_p).value if deleter else None,
            )


def make_caller(options, runtime):
    if options.mode == "resurrect":
        sys.path.insert(0, str(HERE.parents[1] / "python"))
        os.environ["CALLBRIDGE_LIBRARY"] = os.path.abspath(options.callbridge)
        os.environ["JAX_PLATFORMS"] = "cpu"
        import callbridge.resurrect  # noqa: F401
    library = ctypes.CDLL(options.library)
    callbridge = host_caller.Callbridge(options.callbridge) if options.callbridge else None
    types = Types(library)
    if options.mode == "host":
        for name, type_id, _, deleter in types.each():
            callbridge.register_type(name, type_id, deleter)
        return host_caller.Caller(callbridge, library, options.release)
    import jaxlib_caller

    adapt = callbridge.adapt(options.release) if options.mode == "cross_version" else None
    caller = jaxlib_caller.Caller(library, runtime, adapt)
    for name, type_id, type_info, deleter in types.each():
        if options.mode == "cross_version":
            callbridge.register_type(name, type_id, deleter)
        else:
            caller.register_type(name, type_id, type_info)
    return caller


def judge(case, options, runtime, call):
    """Outcome and text of one call."""
    wanted = cases.expected(case, options.headers)
    lacks = [ask for ask in case.asks if cases.RUNTIMES_WITH[ask] > runtime]
    callbridges = options.mode != "native" or options.headers == cases.OURS
    try:
        got = call(case)
    except Exception as error:
        text = str(error)
        # 0.4.30 and 0.4.31 lose codes, so there the sentence itself must say it. Of what XLA's
        # headers do by themselves it is not expected.
        named = "UNIMPLEMENTED" in text or re.search("needs (the )?XLA FFI|not offered by", text)
        if lacks and named and callbridges:
            return "unimplemented", text
        if not isinstance(wanted, cases.Failure):
            return "error", text
        missing = [word for word in wanted.words if word.lower() not in text.lower()]
        if missing:
            return "error", f"without {missing}: {text}"
        if (options.mode == "host" or runtime >= 434) and not text.startswith(wanted.code):
            return "error", f"not {wanted.code}: {text}"
        return "ok", ""
    if isinstance(wanted, cases.Failure):
        return "error", f"no {wanted.code}, but success"
    data = [cases.to_bytes(value) for value in wanted if value.type != "token"]
    if got == data:
        return "ok", ""
    if lacks and callbridges and case.without and got == [cases.to_bytes(case.without)]:
        return "unimplemented", ""
    values = [value for value in wanted if value.type != "token"]
    for value, one, other in zip(values, data, got, strict=True):
        if one != other and value.type in cases.NUMPY:
            import numpy as np

            return "error", f"{np.frombuffer(other, cases.NUMPY[value.type])} for {value.elements}"
    return "error", f"{got} for {data}"


def work(options, runtime, names, pipe):
    """In a process of its own: one line as a case begins, one with what came of it."""

    def say(*line):
        os.write(pipe, (json.dumps(line) + "\n").encode())

    by_name = {case.name: case for case in options.suite}
    caller = make_caller(options, runtime)
    for name in names:
        say(name)
        # XLA's headers let exceptions go on, which ends the process where nothing is in between.
        if (
            name == "throws"
            and options.mode in ("cross_version", "resurrect")
            and caller.runs_as_it_is(by_name[name])
        ):
            say(name, "skipped", "")
            continue
        say(name, *judge(by_name[name], options, runtime, caller.call))


def run(options, runtime):
    left = [case.name for case in selected(options, runtime)]
    outcomes = {}
    while left:
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reader)
            # What runtimes print is no part of the answer.
            quiet = os.open(os.devnull, os.O_WRONLY)
            os.dup2(quiet, 1)
            if not options.verbose:
                os.dup2(quiet, 2)
            try:
                work(options, runtime, left, writer)
            except BaseException as error:
                os.write(writer, (json.dumps([left[0], "error", repr(error)]) + "\n").encode())
                os._exit(3)
            os._exit(0)
        os.close(writer)
        begun, text, hung = None, b"", False
        while True:
            if not select.select([reader], [], [], HANGS_AFTER_SECONDS)[0]:
                hung = True
                os.kill(child, signal.SIGKILL)
                break
            data = os.read(reader, 65536)
            if not data:
                break
            text += data
            *lines, text = text.split(b"\n")
            for line in lines:
                name, *outcome = json.loads(line)
                begun = None if outcome else name
                if outcome:
                    outcomes[name] = outcome
                    left = [other for other in left if other != name]
        os.close(reader)
        status = os.waitpid(child, 0)[1]
        if begun is None and left and status != 0:
            if os.WIFEXITED(status) and os.WEXITSTATUS(status) == 3:
                continue
            begun = left[0]  # it ended before the first case
        if begun is not None:
            what = signal.Signals(os.WTERMSIG(status)).name if os.WIFSIGNALED(status) else "exit"
            outcomes[begun] = ["hang", ""] if hung else ["crash", what]
            left = [other for other in left if other != begun]
    return {name: outcome for name, outcome in outcomes.items() if outcome[0] != "skipped"}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("mode", choices=("native", "cross_version", "resurrect", "host"))
    parser.add_argument("library")
    parser.add_argument("cases", nargs="*")
    parser.add_argument("--headers", type=int, default=cases.OURS)
    parser.add_argument("--callbridge")
    parser.add_argument("--release", help="that the host imitates; of jaxlib, where one is used")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--exported", action="store_true", help="exported.cc, not the suite")
    options = parser.parse_intermixed_args()
    options.suite = exported_cases.CASES if options.exported else cases.CASES
    if options.mode != "host":
        import jaxlib_caller

        options.release = jaxlib_caller.release()
    json.dump(run(options, headers.number_of(options.release)), sys.stdout, indent=1)


if __name__ == "__main__":
    main()
