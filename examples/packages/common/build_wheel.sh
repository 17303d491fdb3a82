#!/bin/sh
# build_wheel.sh [PYTHON...]: the wheel in dist/, by python3 or by each of these Pythons.
set -eu
cd "$(dirname "$0")"
for python in "${@:-python3}"; do
  "$python" -m pip wheel --no-deps --wheel-dir dist .
done
