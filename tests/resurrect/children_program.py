"""Has children of multiprocessing use a name that JAX has no more; prints what they give.

  children_program.py HOW METHOD WHERE

WHERE callbridge.resurrect comes from: "command", "main" or "beside", in which case it is imported
where no child imports it.
"""

import concurrent.futures
import multiprocessing
import sys

HOW, METHOD, WHERE = sys.argv[1:]
if __name__ == "__main__" and WHERE == "main":
    import callbridge.resurrect
elif __name__ == "__main__" and WHERE == "beside":
    import children_beside  # noqa: F401
if WHERE != "none":
    from jax.core import Jaxpr, ShapedArray  # noqa: F401
    from jax.interpreters.xla import translations  # noqa: F401


def work(i):
    import callbridge.resurrect
    from callbridge.jax import _registry
    from jax.lib import xla_client

    if not callable(xla_client.register_custom_call_target):
        return "no name"
    if not callbridge.resurrect.names():
        return "no names"
    return i * i, _registry.prefers_typed()


def nested(i):
    with multiprocessing.get_context(METHOD).Pool(1) as pool:
        return pool.map(work, [i])[0]


def put(queue, i):
    queue.put(work(i))


def run(context):
    if HOW == "pool":
        with context.Pool(1) as pool:
            return pool.map(work, range(3))
    if HOW == "executor":
        with concurrent.futures.ProcessPoolExecutor(1, mp_context=context) as pool:
            return list(pool.map(work, range(3)))
    if HOW == "process":
        queue = context.Queue()
        process = context.Process(target=put, args=(queue, 2))
        process.start()
        result = queue.get(timeout=60)
        process.join()
        return result
    if HOW == "manager":
        with context.Manager() as manager:
            results = manager.dict()
            with context.Pool(1) as pool:
                results.update(enumerate(pool.map(work, range(3))))
            return dict(results)
    if HOW == "nested":
        with concurrent.futures.ProcessPoolExecutor(1, mp_context=context) as pool:
            return pool.submit(nested, 3).result(timeout=100)
    if HOW == "executable":
        multiprocessing.set_executable(sys.executable)
        with context.Pool(1) as pool:
            return pool.map(work, range(3))
    if HOW == "preload":
        context.set_forkserver_preload(["children_preloaded"])
        with context.Pool(1) as pool:
            return pool.map(work, range(3))
    raise ValueError(HOW)


if __name__ == "__main__":
    import callbridge.resurrect

    callbridge.resurrect.prefer("typed")
    print(run(multiprocessing.get_context(METHOD)))
