"""Lets the tests here import scenarios.py, as the oracles do."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
