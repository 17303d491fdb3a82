"""The headers that binaries of the handler suite are built with, as numbers: callbridge's own, and
XLA's of a release of jaxlib. Standard library alone."""

OURS = 9999


def number_of(headers):
    """As SUITE_HEADERS counts: "0.4.30" is 430, "0.12.0.1" is 1200, "ours" is OURS."""
    if headers == "ours":
        return OURS
    major, minor, patch = (headers.split(".") + ["0", "0"])[:3]
    return (int(major) * 100 + int(minor)) * 100 + int(patch)
