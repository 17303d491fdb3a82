"""The handlers of the extension module in this folder."""

from mypackage import _extension


def handlers(symbol):
    """Returns the capsule of a handler for each platform that has it."""
    return {"cpu": getattr(_extension, symbol)()}
