#!/bin/sh
# build_wheel.sh [PYTHON [OPTION...]]: the wheel in dist/, by python3 or this Python, which needs the package wheel. OPTIONS are
# CMake's, as -Dcallbridge_DIR=FOLDER or -DCALLBRIDGE_REPOSITORY=URL.
set -eu
cd "$(dirname "$0")"
python=${1:-python3}
[ $# = 0 ] || shift
rm -rf build/wheel
mkdir -p dist
cmake -S . -B build/cmake -DCMAKE_BUILD_TYPE=Release "$@"
cmake --build build/cmake
cmake --install build/cmake --prefix build/wheel
"$python" -m wheel pack --dest-dir dist build/wheel
