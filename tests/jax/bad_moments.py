"""Signals, forks and threads in the middle of things."""

import concurrent.futures
import ctypes
import multiprocessing
import os
import signal
import threading
import time

import callbridge.library
import jax
import numpy as np
from callbridge.jax import custom_call, register
from callbridge.jax._registry import registered
from calls import Calls
from jax.sharding import Mesh
from jax.sharding import PartitionSpec as P
from programs import F32, FOLDER, ONE, load_uses, program, raised, refused, untold
from this_jax import PATHS, JaxRuntimeError, has, shard_map
from this_platform import ON_GPU, PLATFORM

SECONDS = 60


def ends_well(child):
    """Waits for a forked process; one that hangs is killed."""
    give_up = time.monotonic() + SECONDS
    while time.monotonic() < give_up:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            assert status == 0, f"the child ended with status {status:#x}"
            return
        time.sleep(0.01)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    raise AssertionError(f"the child hung for {SECONDS} s")


def forked(function):
    """Runs it in a forked process."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            function()
            status = 0
        except BaseException:
            import traceback

            traceback.print_exc()
        finally:
            os._exit(status)
    ends_well(child)


def add(amount, **options):
    return custom_call("add_opaque", F32, opaque=bytes([amount]), **options)(ONE)


# ---- Signals ------------------------------------------------------------------------------------


def interrupted(run):
    """Whether `run` is interrupted, and only after the target, which takes 0.6 s, is through."""
    timer = threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT))
    begin = time.monotonic()
    timer.start()
    try:
        run()
        time.sleep(1)  # An exception may come when Python has the control again.
    except KeyboardInterrupt:
        return time.monotonic() - begin >= 0.2
    finally:
        timer.join()
    return False


@program
def interrupts():
    load_uses()
    for path in PATHS:
        sleep = custom_call("sleep", "s32[]", prefer=path)
        jitted = jax.jit(sleep)
        assert jitted(np.int32(0)) == 0 and sleep(np.int32(0)) == 0
        for call in [sleep, jitted]:
            assert interrupted(lambda: jax.block_until_ready(call(np.int32(600))))  # noqa: B023
            # The process is sound, and so is the program that was interrupted.
            assert call(np.int32(1)) == 1
            assert add(2, prefer=path) == 3


@program
def interrupts_of_a_scan():
    load_uses()
    sleep = custom_call("sleep", "s32[]", has_side_effect=True)
    steps = jax.jit(lambda xs: jax.lax.scan(lambda c, x: (c, sleep(x)), 0, xs)[1])
    times = np.full(4, 150, np.int32)
    steps(0 * times)
    assert interrupted(lambda: jax.block_until_ready(steps(times)))
    np.testing.assert_array_equal(steps(0 * times), 0 * times)


def interrupted_load(seconds):
    """A load that is interrupted after `seconds`, unless it is done before, and a second one."""

    def interrupt(_number, _frame):
        raise KeyboardInterrupt

    signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, seconds)
        load_uses()
        signal.setitimer(signal.ITIMER_REAL, 0)
    except KeyboardInterrupt:
        pass
    library = load_uses()
    assert load_uses() is library
    for target in library.targets:
        if target.abi is not None and has("lists of the names that XLA has"):
            assert registered(target.name, PLATFORM), target


@program
def interrupts_of_loads():
    for i in range(10):
        forked(lambda: interrupted_load(0.0005 * 1.6**i))  # noqa: B023
    interrupted_load(0.005)
    assert add(2) == 3


# ---- Devices ------------------------------------------------------------------------------------


@program
def failures_on_one_of_several_devices():
    load_uses()
    mesh = Mesh(np.array(jax.devices()), ("x",))
    good, bad = np.float32([1, 2, 3, 4]), np.float32([1, 2, -3, 4])
    words = ["negative operand"] if has("messages of one of several devices") else []
    for way in [*PATHS, "handler"]:
        calls = Calls(way)
        function = jax.jit(
            shard_map(
                lambda x: calls.nonnegative(x[0])[None],  # noqa: B023
                mesh,
                P("x"),
                P("x"),
                True,
            )
        )
        for _ in range(3):
            if has("several devices after a failure"):
                np.testing.assert_array_equal(function(good), good)
            raised(
                (JaxRuntimeError, ValueError),
                lambda: jax.block_until_ready(function(bad)),  # noqa: B023
                *words,
            )
            assert add(2) == 3
            if not has("several devices after a failure"):
                return


# ---- Forks --------------------------------------------------------------------------------------


def use_and_register():
    assert add(1) == 2
    register("plus_two", untold().plus_two, PLATFORM, abi="original")
    for path in PATHS:
        assert jax.jit(custom_call("plus_two", F32, prefer=path))(ONE) == 3


@program
def forks_after_load():
    # Of a process whose JAX has not started.
    load_uses()
    for _ in range(2):
        forked(use_and_register)
    use_and_register()


@program
def forks_by_multiprocessing_after_load():
    load_uses()
    context = multiprocessing.get_context("fork")
    children = [context.Process(target=use_and_register) for _ in range(2)]
    for child in children:
        child.start()
    for child in children:
        child.join(SECONDS)
        assert child.exitcode == 0, child.exitcode
    use_and_register()


@program
def forks_after_jax_has_started():
    # XLA's threads are not in the child: JAX hangs there, with or without callbridge.
    library = load_uses()
    assert add(1) == 2
    # Where there is a GPU, JAX has no target that runs without one.
    on_cpu = callbridge.library.load(FOLDER / "../../../jax/uses.so") if ON_GPU else library

    def child():
        refused("FAILED_PRECONDITION", lambda: add(2), "fork", "spawn")
        call = custom_call("add_opaque", F32)
        refused("FAILED_PRECONDITION", lambda: jax.jit(call)(ONE), "fork", "spawn")
        assert on_cpu.run("add_opaque", [ONE], "f32[]", opaque=b"\2") == 3

    for _ in range(2):
        forked(child)
    assert add(3) == 4


# ---- Threads ------------------------------------------------------------------------------------


@program
def threads_that_register_and_trace():
    functions = untold()
    start = threading.Barrier(16)

    def work(i):
        start.wait()
        load_uses()
        seen = []
        for j in range(4):
            name = f"plus_{(i + j) % 5}"
            register(name, functions.plus_one, PLATFORM, abi="original")
            path = PATHS[(i + j) % len(PATHS)]
            call = jax.jit(custom_call(name, F32, prefer=path))
            seen += [float(call(ONE)), float(add(j, prefer=path))]
        return seen

    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        for seen in pool.map(work, range(16)):
            assert seen == [2, 1, 2, 2, 2, 3, 2, 4]


@program
def threads_that_register_a_name_with_different_functions():
    functions = untold()
    start = threading.Barrier(8)
    errors = []

    def work(i):
        start.wait()
        function = [functions.plus_one, functions.plus_two][i % 2]
        try:
            register("name", function, PLATFORM, abi="original")
        except Exception as error:
            errors.append(error)
            return None
        return ctypes.cast(function, ctypes.c_void_p).value

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        winners = {address for address in pool.map(work, range(8)) if address}
    assert len(winners) == 1 and len(errors) == 4
    assert all(error.code == "ALREADY_EXISTS" for error in errors), errors
    first = winners == {ctypes.cast(functions.plus_one, ctypes.c_void_p).value}
    assert custom_call("name", F32)(ONE) == (2 if first else 3)
