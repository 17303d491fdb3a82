"""The demo: one binary of custom calls from TensorFlow's days, unmodified, inside today's JAX.

    python demo.py BINARY

Says what it does as it goes, and ends in a table. The exit status is 0 only if every cell is right.
"""

import os
import signal
import subprocess
import sys

import callbridge.jax
import jax
import jax.numpy as jnp
import numpy as np

BINARY = sys.argv[1]
COLUMNS = ("embedded runtime", "jax.jit, version 3", "jax.jit, typed FFI")
PATHS = {"jax.jit, version 3": "version_3", "jax.jit, typed FFI": "typed"}
MARK = {True: "ok", False: "WRONG"}


def say(text=""):
    print(text, flush=True)


BOLD = (
    sys.stdout.isatty()
    and os.environ.get("TERM", "dumb") != "dumb"
    and not os.environ.get("NO_COLOR")
)


def step(title):
    say(f"\n\033[1m{title}\033[0m" if BOLD else f"\n{title}")


def dlopen_of_today():
    """What the dynamic loader says to the binary as it is."""
    code = f"import ctypes; ctypes.CDLL({BINARY!r})"
    child = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    return child.stderr.strip().splitlines()[-1]


def native_tuple_call():
    """How a process ends that hands the tuple target to XLA:CPU natively."""
    script = os.path.join(os.path.dirname(__file__), "native_crash.py")
    child = subprocess.run([sys.executable, script, BINARY], capture_output=True, text=True)
    return child.returncode, child.stdout + child.stderr


def flat(tree):
    return [np.asarray(leaf) for leaf in jax.tree.leaves(tree)]


def same(got, expected):
    got, expected = flat(got), flat(expected)
    return len(got) == len(expected) and all(
        a.dtype == b.dtype and np.array_equal(a, b) for a, b in zip(got, expected, strict=True)
    )


def calls(target, operands, result, **options):
    """The same call in each column's way."""
    yield COLUMNS[0], lambda: library.run(target, operands, result, **options)
    for column, prefer in PATHS.items():
        function = callbridge.jax.custom_call(target, result, prefer=prefer, **options)
        yield column, lambda function=function: jax.jit(function)(*operands)


def check(target, operands, result, expected, **options):
    row = {c: same(call(), expected) for c, call in calls(target, operands, result, **options)}
    say("  " + ", ".join(f"{column}: {MARK[right]}" for column, right in row.items()))
    return row


def check_failure(target, operands, result, message, **options):
    row = {}
    for column, call in calls(target, operands, result, **options):
        try:
            jax.block_until_ready(call())
            row[column] = False
            say(f"  {column}: no error")
        except Exception as error:  # whichever kind the column has: its text is what is judged
            row[column] = message in str(error)
            first_line = str(error).splitlines()[0]
            say(f"  {column}: {type(error).__name__}: {first_line}")
    return row


def table(rows):
    wide = max(len(name) for name in rows)
    rule = "+".join("-" * (w + 2) for w in (wide, *map(len, COLUMNS)))
    say(f" {'':{wide}} | " + " | ".join(COLUMNS))
    say(rule)
    for name, row in rows.items():
        say(f" {name:{wide}} | " + " | ".join(f"{MARK[row[c]]:{len(c)}}" for c in COLUMNS))


step("A binary from TensorFlow's days")
say(f"  {BINARY}")
say("  compiled from examples/first_light/old_targets.cc against TensorFlow 2.13.1's headers, and")
say("  linked to its library. The dynamic loader, today:")
say(f"    {dlopen_of_today()}")

step("callbridge opens it, without TensorFlow")
library = callbridge.jax.load(BINARY)
for t in library.targets:
    say(f"  {t.name:14} {t.platform:5} {t.abi:26} {t.evidence}")

rng = np.random.default_rng(0)
rows = {}

step("A[i] = B[i % 128] + C[i]")
b = rng.standard_normal(128, np.float32)
c = rng.standard_normal(2048, np.float32)
rows["array operands (version 1)"] = check(
    "add_repeated", (b, c), jax.ShapeDtypeStruct((2048,), jnp.float32), b[np.arange(2048) % 128] + c
)

step("A nested tuple in, a tuple out")
say("  natively, in a process of its own: XLA:CPU flattens the tuple, and the old target reads an")
say("  array for a table of pointers")
status, output = native_tuple_call()
crashed = status < 0
if crashed:
    say(f"    the process died of {signal.Signals(-status).name}")
else:
    say(f"    the process ended with status {status}:\n{output}")
say("  through callbridge")
a, b, c, d = (rng.integers(-8, 8, n).astype(np.float32) for n in (32, 64, 128, 256))
rows["nested tuple, tuple result (version 1)"] = check(
    "gather_tuple",
    ((a, (b, c), d),),
    (jax.ShapeDtypeStruct((480,), jnp.float32), jax.ShapeDtypeStruct((3,), jnp.float32)),
    (
        np.concatenate([a, b, c, d]),
        np.array([a.sum(), b.sum() + c.sum(), d.sum()], np.float32),
    ),
)

step("A target that reports failure")
scalar = jax.ShapeDtypeStruct((), jnp.int32)
rows["success (version 2)"] = check("divide", (np.int32(7), np.int32(2)), scalar, np.int32(3))
rows["failure, with its message (version 2)"] = check_failure(
    "divide", (np.int32(1), np.int32(0)), scalar, "CustomCall failed: division by zero"
)

step("A binary opaque: ff 00 fe 00 22")
key = bytes.fromhex("ff00fe0022")
text = rng.integers(0, 256, 16, np.uint8)
rows["binary opaque (version 3)"] = check(
    "add_key",
    (text,),
    jax.ShapeDtypeStruct((16,), jnp.uint8),
    text + np.resize(np.frombuffer(key, np.uint8), 16),
    opaque=key,
)

step(f"The same binary on callbridge and in jax {jax.__version__}, compared with NumPy")
table(rows)
all_right = all(right for row in rows.values() for right in row.values())
say()
say("All as it should be." if all_right and crashed else "Something is not as it should be.")
sys.exit(0 if all_right and crashed else 1)
