"""The one exception of callbridge."""


class CallbridgeError(Exception):
    """What the C API reports as an error, and what this package refuses for like reasons.

    Arguments of a wrong Python type are a TypeError instead.

    Attributes:
      code: the name of an absl::StatusCode, such as "INTERNAL" or "NOT_FOUND".
      message: what was expected, what came, and what to do.
    """

    def __init__(self, code: str, message: str):
        super().__init__(code, message)
        self.code = code
        self.message = message

    def __str__(self) -> str:
        return f"{self.code}: {self.message}"
