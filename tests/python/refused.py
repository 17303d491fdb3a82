"""refused(): expects an error of callbridge's. For tests in C++, see tests/refused.h."""

import pytest
from callbridge.library import CallbridgeError


def refused(code, *words):
    """Returns a context that expects a CallbridgeError of that code.

    Its message must match each of `words`, regular expressions, in any order.
    """
    return pytest.raises(
        CallbridgeError, match=f"(?s)^{code}: " + "".join(f"(?=.*{word})" for word in words)
    )
