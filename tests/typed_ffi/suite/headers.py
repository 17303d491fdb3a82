"""The headers that binaries of the handler suite are built with: callbridge's own, and XLA's of
each release of jaxlib whose headers differ from those before. Standard library alone."""

RELEASES = [
    *("0.4.30", "0.4.31", "0.4.34", "0.4.38", "0.6.2", "0.8.3", "0.10.2", "0.11.2", "0.12.0.1"),
]
OURS = 9999


def number_of(headers):
    """As SUITE_HEADERS counts: "0.4.30" is 430, "0.12.0.1" is 1200, "ours" is OURS."""
    if headers == "ours":
        return OURS
    major, minor, patch = (headers.split(".") + ["0", "0"])[:3]
    return (int(major) * 100 + int(minor)) * 100 + int(patch)
