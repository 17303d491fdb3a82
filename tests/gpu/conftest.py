"""The tests of GPU targets. Each program that they start has its own process and its own JAX."""

import os
import sys

sys.path.insert(0, os.path.dirname(__file__))
