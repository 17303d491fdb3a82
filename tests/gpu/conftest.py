"""The tests start XLA:GPU in processes of their own; see xla_gpu.py."""

import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "matrix")]
