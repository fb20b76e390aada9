#!/bin/sh
# Installs what building and testing Obsidian needs, on Debian 12: LLVM/MLIR 22
# and the build tools. Needs root or sudo, and only when something is missing.
# No CUDA toolkit and no GPU are needed.
set -eu

packages="
  cmake ninja-build ccache
  clang-22 lld-22 llvm-22-dev llvm-22-tools libmlir-22-dev mlir-22-tools
  libgtest-dev zlib1g-dev libzstd-dev
  python3 python3-dev python3-numpy python3-psutil python3-pytest
"

if ! command -v apt-get >/dev/null 2>&1; then
  echo "install-deps: this script knows apt-get only. Install LLVM, MLIR, clang" >&2
  echo "and lld 22, CMake, Ninja and GoogleTest, and set LLVM_PREFIX." >&2
  exit 1
fi

missing=""
for package in $packages; do
  if ! dpkg -s "$package" 2>/dev/null | grep -q '^Status: install ok installed'; then
    missing="$missing $package"
  fi
done
if [ -z "$missing" ]; then
  echo "install-deps: everything is installed."
  exit 0
fi
echo "install-deps: installing$missing"

as_root=""
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null 2>&1; then
    echo "install-deps: run this as root, or install sudo. Missing:$missing" >&2
    exit 1
  fi
  as_root="sudo"
fi

# The settings keep apt from asking questions; a slow mirror is tried again.
apt() {
  $as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get -q -y -o Acquire::Retries=5 -o Dpkg::Use-Pty=0 "$@" </dev/null
}
apt update
# shellcheck disable=SC2086 # a list of words
if ! apt install --no-install-recommends $missing; then
  echo "install-deps: apt-get failed. LLVM 22 is in Debian 12's security archive" >&2
  echo "(bookworm-security); check that it is among the sources of apt." >&2
  exit 1
fi
