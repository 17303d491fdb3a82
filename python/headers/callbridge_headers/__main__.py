"""Where the headers and the CMake files are: python -m callbridge_headers --includedir"""

import argparse

from callbridge_headers import cmake_dir, include_dir


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m callbridge_headers", description=__doc__)
    shown = parser.add_mutually_exclusive_group(required=True)
    shown.add_argument("--includedir", action="store_const", const=include_dir, dest="shown")
    shown.add_argument("--cmakedir", action="store_const", const=cmake_dir, dest="shown")
    print(parser.parse_args().shown())


if __name__ == "__main__":
    main()
