"""Lets the tests here import scenarios.py, as the oracles do, and the list of JAX's releases."""

import pathlib
import sys

HERE = pathlib.Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "matrix")]
