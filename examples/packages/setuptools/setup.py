"""The library src/mypackage/handlers.so, which ctypes opens, and a wheel for every Python 3."""

import callbridge_headers
from setuptools import Extension, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_ext import build_ext


class BuildLibrary(build_ext):
    def get_ext_filename(self, ext_name):
        return ext_name.replace(".", "/") + ".so"  # without the suffix of one Python


class WheelForEveryPython(bdist_wheel):
    def get_tag(self):
        return "py3", "none", super().get_tag()[2]


handlers = Extension(
    "mypackage.handlers",
    ["src/handlers.cc"],
    include_dirs=[callbridge_headers.include_dir()],
    extra_compile_args=["-std=c++17", "-fvisibility=hidden"],
    language="c++",
)
setup(
    ext_modules=[handlers],
    cmdclass={"build_ext": BuildLibrary, "bdist_wheel": WheelForEveryPython},
)
