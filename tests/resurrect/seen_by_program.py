"""Prints all that a program sees of how it was started, and ends as its first argument says."""

import atexit
import inspect
import json
import os
import pickle
import re
import signal
import sys
import threading
import time
import warnings

# Which modules were imported is not how the program was started; sys.orig_argv is what was typed.
LEFT_OUT = {
    "modules",
    "orig_argv",
    "path_importer_cache",
    "_framework",
    "activate_stack_trampoline",
}


class Here:
    pass


def plain(value):
    """The value as text, the same in each process that has the same."""
    if isinstance(value, (set, frozenset)):
        value = sorted(map(repr, value))
    return re.sub(r" at 0x[0-9a-f]+", "", repr(value))


def seen():
    main = sys.modules["__main__"]
    return {
        "__main__": {
            name: plain(value)
            for name, value in sorted(vars(main).items())
            if name[:2] == "__" and name != "__builtins__"
        },
        "of __main__": sorted(vars(main)),
        "builtins": plain(vars(main)["__builtins__"])[:20],
        "is __main__": vars(main) is globals(),
        "debug": __debug__,
        "docstring": plain.__doc__,
        "sys": {
            name: plain(getattr(sys, name))
            for name in sorted(dir(sys))
            if name not in LEFT_OUT and not callable(getattr(sys, name))
        },
        "default hooks": [sys.excepthook is sys.__excepthook__, sys.displayhook.__module__],
        "streams": [sys.stdout.encoding, sys.stdout.errors, sys.stdout.write_through],
        "cwd": os.getcwd(),
        "pickled": pickle.loads(pickle.dumps(Here())).__class__ is Here,
        "qualified": plain(Here),
        "source": inspect.getsource(plain)[:10]
        if "__file__" in globals() and os.path.exists(__file__)
        else "",
        "thread": threading.current_thread() is threading.main_thread(),
        "environment": {k: v for k, v in os.environ.items() if k.startswith("PYTHON")},
    }


def boom(message="boom"):
    raise ValueError(message)


def in_thread():
    thread = threading.Thread(target=boom, name="other")
    thread.start()
    thread.join()


def chained():
    try:
        boom("first")
    except ValueError as error:
        raise KeyError("second") from error


def set_hook(hook):
    sys.excepthook = hook


def shown(kind, value, traceback):
    names = []
    while traceback:
        names.append(traceback.tb_frame.f_code.co_name)
        traceback = traceback.tb_next
    print("hook", kind.__name__, value, names, sys.last_value is value, sys.excepthook is shown)


def raises(kind, value, traceback):
    raise RuntimeError("in the hook")


def exits(kind, value, traceback):
    sys.exit(9)


class Quiet(SystemExit):
    pass


def finish(how):
    if how == "exit":
        sys.exit(3)
    elif how == "exit_text":
        sys.exit("a text")
    elif how == "exit_none":
        sys.exit()
    elif how == "exit_big":
        sys.exit(257)
    elif how == "exit_tuple":
        sys.exit((1, 2))
    elif how == "exit_subclass":
        raise Quiet(4)
    elif how == "raise":
        boom()
    elif how == "chained":
        chained()
    elif how == "interrupt":
        raise KeyboardInterrupt
    elif how == "hook":
        set_hook(shown)
        boom()
    elif how == "hook_raises":
        set_hook(raises)
        boom()
    elif how == "hook_exits":
        set_hook(exits)
        boom()
    elif how == "hook_is_none":
        set_hook(None)
        boom()
    elif how == "hook_is_gone":
        del sys.excepthook
        boom()
    elif how == "thread":
        in_thread()
    elif how == "thread_goes_on":
        threading.Timer(0.01, lambda: print("later", flush=True)).start()
    elif how == "warn":
        warnings.warn("of this line", DeprecationWarning, stacklevel=1)
    elif how == "import_error":
        import not_there  # noqa: F401
    elif how == "syntax_error":
        compile("x = = 1", "other.py", "exec")
    elif how == "signal_interrupt":
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(10)
    elif how == "signal_terminate":
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(10)
    elif how == "broken_pipe":
        reader, writer = os.pipe()
        os.dup2(writer, 1)
        os.close(reader)
        os.close(writer)
        print("nobody reads this")
    elif how == "abort":
        os.abort()
    elif how == "_exit":
        sys.stdout.flush()
        os._exit(5)
    elif how == "no_stdout":
        os.close(1)
        print("x")
    elif how == "group":
        raise ExceptionGroup("several", [ValueError(1), KeyError(2)])  # noqa: F821
    else:
        assert how in ("return", "-"), how


atexit.register(
    lambda: print("at exit", "__file__" in globals(), sys.modules["__main__"] is not None)
)
print(json.dumps(seen(), indent=1))
# Which is buffered otherwise where standard error is not.
sys.stdout.flush()
finish(sys.argv[1] if len(sys.argv) > 1 else "return")
