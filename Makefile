# The commands of the project. Each is a script of the same name in scripts/, but for those that are one line.
PREFIX ?= /usr/local

.PHONY: help demo test test-frameworks test-gpu test-aarch64 test-wheel bench matrix docs format lint install wheel clean

help:
	@echo "make demo      run the first example, from a bare clone"
	@echo "make test      set up, build and run all tests, the sanitizers too"
	@echo "make test-frameworks   run operators of other frameworks in those, and compare"
	@echo "make test-gpu  run GPU targets on this machine's GPU, and write docs/gpu.md"
	@echo "make test-aarch64   build for Linux aarch64, and run a part of the tests there under emulation"
	@echo "make bench     measure what a call costs; results in build/bench/"
	@echo "make matrix    run every ABI and every handler on every jaxlib of requirements/jax_releases, and all tests that make test has a sample of; tables in docs/matrix.md; FROM=STEP goes on from a step"
	@echo "make docs      make the site of the documentation, build/docs/html"
	@echo "make format    format the C++ and Python files in place"
	@echo "make lint      check the format and run the static checks"
	@echo "make install   install into PREFIX=DIR ($(PREFIX)), below DESTDIR where it is set"
	@echo "make wheel     make the wheels and the sdist in dist/, on Debian 11 in a folder; MACHINE=aarch64 or x86_64 for that one"
	@echo "make test-wheel   install those in clean environments and use them, with transcripts and times"
	@echo "make clean     remove build/, dist/ and .venv (downloads and what is installed from them stay in the cache)"

demo test bench docs format lint:
	@scripts/$@

matrix:
	@scripts/matrix "$(FROM)"

wheel:
	@scripts/wheel $(MACHINE)

test-frameworks:
	@scripts/test_frameworks

test-gpu:
	@scripts/test_gpu

test-aarch64:
	@scripts/test_aarch64

test-wheel:
	@scripts/test_wheel

install:
	@DESTDIR="$(DESTDIR)" scripts/install "$(PREFIX)"

clean:
	rm -rf build dist .venv
