"""Threads for tests of what several do at once."""

import threading


def at_once(*functions):
    """Runs functions at once, a thread each, which begin together; raises what one raised."""
    barrier = threading.Barrier(len(functions))
    failures = []

    def run(function):
        try:
            barrier.wait()
            function()
        except BaseException as failure:
            failures.append(failure)

    threads = [threading.Thread(target=run, args=(function,)) for function in functions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]
