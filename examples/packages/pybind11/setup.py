"""The extension module mypackage._extension; a wheel is for one Python."""

import callbridge_headers
from pybind11.setup_helpers import Pybind11Extension
from setuptools import setup

extension = Pybind11Extension(
    "mypackage._extension",
    ["src/extension.cc", "src/handlers.cc"],
    include_dirs=[callbridge_headers.include_dir()],
    cxx_std=17,
)
setup(ext_modules=[extension])
