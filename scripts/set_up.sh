#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing for: build (default), test, nightly. Quick and silent when nothing is.
set -eu
cd "$(dirname "$0")/.."
goal=${1:-build}

packages="g++ make cmake ninja-build pkg-config libfmt-dev rapidjson-dev libzip-dev libcli11-dev
  gcc-arm-none-eabi libnewlib-arm-none-eabi libstdc++-arm-none-eabi-newlib qemu-system-arm
  libgtest-dev libgmock-dev librapidcheck-dev"
case $goal in
  build) ;;
  test) packages="$packages python3-venv" ;;
  nightly) packages="$packages python3-venv clang libclang-rt-14-dev" ;;
  *) echo "usage: scripts/set_up.sh [build|test|nightly]" >&2; exit 2 ;;
esac

provided() { # a program that is on the path needs no package
  case $1 in
    cmake | make) command -v "$1" ;;
    ninja-build) command -v ninja ;;
    *) return 1 ;;
  esac >/dev/null 2>&1
}

missing_packages() {
  installed=$(dpkg-query -W -f '${db:Status-Abbrev}${Package}\n' $packages 2>/dev/null | sed -n 's/^ii *//p' || true)
  for package in $packages; do
    echo "$installed" | grep -qxF -- "$package" || provided "$package" || echo "$package"
  done
}

# Two of our runs may meet at the package manager's lock.
apt_get() { $root env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=600 "$@"; }

install_packages() {
  root=
  [ "$(id -u)" = 0 ] || root="sudo"
  command="apt-get install --no-install-recommends" 
  if ! command -v apt-get >/dev/null || { [ -n "$root" ] && ! $root -n true 2>/dev/null && ! [ -t 0 ]; }; then
    echo "set up: these packages are missing and can't be installed from here; please run" >&2
    echo "  sudo $command" $1 >&2
    exit 1
  fi
  echo "set up: installing" $1
  apt_get -qq update || echo "set up: no fresh package lists, trying with those at hand"
  if ! apt_get -qq -y install --no-install-recommends $1 >build/set_up.log 2>&1; then
    tail -20 build/set_up.log >&2
    echo "set up: failed; the command was: sudo $command" $1 >&2
    exit 1
  fi
}

# Where the default index brings PyTorch for graphics cards, CORTEN_TORCH_INDEX can name one with the CPU build.
torch_index() { [ -z "${CORTEN_TORCH_INDEX:-}" ] || echo "--extra-index-url $CORTEN_TORCH_INDEX"; }

make_venv() {
  wanted=$(cksum <requirements.txt)
  [ "$(cat .venv/requirements.cksum 2>/dev/null)" != "$wanted" ] || return 0
  echo "set up: making .venv with" $(grep -v '^#' requirements.txt)
  # A virtual environment is tied to its Python: one from elsewhere or half made is not worth mending.
  rm -rf .venv
  python3 -m venv .venv
  .venv/bin/python -m pip install --quiet $(torch_index) -r requirements.txt
  echo "$wanted" >.venv/requirements.cksum
}

mkdir -p build
missing=$(missing_packages)
[ -z "$missing" ] || install_packages "$missing"
[ "$goal" = build ] || make_venv
