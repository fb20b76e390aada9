# The commands of a day's work. CMakePresets.json has the build itself.

.PHONY: all build check check-full demo static python wheel format docs deps clean

all: build

# The release tools, in build/bin/.
build:
	cmake --preset release
	cmake --build build --target obs-tools

# Installs what is missing, builds, and runs the example programs.
demo:
	./scripts/demo.sh

# Builds with assertions and runs every test.
check:
	./scripts/check.sh

# The same with the release build and the exhaustive matrices, which take hours.
check-full:
	./scripts/check.sh --full

# Self-contained tools that need libc and libm only, in build-static/bin/.
static:
	cmake --preset static
	cmake --build --preset static

# The Python package for developers: its files in python/, with the library of build/; and the
# optional accelerator, if there is a C compiler and Python.h.
python:
	cmake --preset release
	cmake --build build --target obsidian
	mkdir -p python/obsidian/lib
	ln -sf ../../../build/lib/libobsidian.so python/obsidian/lib/libobsidian.so
	$${PYTHON:-python3} -m pip install -e python
	$${PYTHON:-python3} -m pip install ./python/accelerator || \
	  echo "make python: no accelerator: calls on a GPU take more time on the host"

# The Python package for users, dist/*.whl, with LLVM inside, the optional accelerator, and the
# examples in a fresh virtual environment. Needs ziglang, setuptools, wheel and NumPy.
wheel:
	$${PYTHON:-python3} scripts/build-wheel.py
	$${PYTHON:-python3} scripts/check-wheel.py dist/obsidian_gpu-*.whl

# Writes docs/generated/ from the TableGen descriptions, docs/images/architecture.svg from the
# build files, and what the tools in build/bin print into docs/programs/, docs/Gallery.md,
# README.md, docs/obs-run.md and docs/Dag.md.
docs:
	./scripts/check-docs.sh --update
	./scripts/architecture.py --update
	./scripts/check-programs.py --update --bin=build/bin
	./scripts/gallery.py --update --bin=build/bin
	./scripts/check-readme.py --update --bin=build/bin
	./scripts/check-console.py --update --bin=build/bin

format:
	git ls-files '*.h' '*.cpp' | xargs "$${CLANG_FORMAT:-clang-format-22}" -i

# LLVM/MLIR 22 and the build tools, by apt-get.
deps:
	./scripts/install-deps.sh

clean:
	rm -rf build build-asserts build-static dist
