# Where things are, for the other scripts to source. Leaves the shell in the repository's root.
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit

# Downloads and what is unpacked from them stay outside the clone, so that the next clone has them.
export CALLBRIDGE_CACHE=${CALLBRIDGE_CACHE:-${XDG_CACHE_HOME:-~/.cache}/callbridge}
# The genuine runtimes of the oracle tests: a folder that holds include/, and a Python.
export CALLBRIDGE_TENSORFLOW=$CALLBRIDGE_CACHE/tensorflow-2.13.1/tensorflow
export CALLBRIDGE_JAX_0_4_30_PYTHON=$CALLBRIDGE_CACHE/venv-jax-0.4.30/bin/python
export CALLBRIDGE_TENSORFLOW_2_13_1_PYTHON=$CALLBRIDGE_CACHE/venv-tensorflow-2.13.1/bin/python
export CALLBRIDGE_TENSORFLOW_2_21_0_PYTHON=$CALLBRIDGE_CACHE/venv-tensorflow-2.21.0/bin/python
# The Python face, and nothing that the caller's own PYTHONPATH may hold.
export PYTHONPATH=$PWD/python
# Hundreds of short processes import JAX and the face, and would compile both each time.
unset PYTHONDONTWRITEBYTECODE

mkdir -p "$CALLBRIDGE_CACHE/wheels" || {
  echo "$CALLBRIDGE_CACHE cannot be written, where downloads are kept: set CALLBRIDGE_CACHE to a folder that you may write" >&2
  exit 1
}
