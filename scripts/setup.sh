#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what the build and the tests need from Debian 12; does nothing, and needs no network, when all of it is there.
set -euo pipefail

packages=(
  g++ cmake ninja-build pkg-config        # the build
  libsystemc-dev                          # simulation kernel
  libyaml-cpp-dev                         # configuration
  libfmt-dev nlohmann-json3-dev           # text and JSON
  libonnx-dev libprotobuf-dev protobuf-compiler  # network import
  libzstd-dev zlib1g-dev libssl-dev       # traces, digests
  libboost-program-options-dev            # command line
  libgtest-dev libgmock-dev libbenchmark-dev     # tests and benchmarks
  pciutils                                # lspci, the third party that reads our configuration space
  python3-minimal                         # test drivers (standard library only)
)
missing=()
for package in "${packages[@]}"; do
  dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

echo "Installing: ${missing[*]}"
run=()
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || { echo "setup: these packages are missing and neither root nor sudo is at hand: ${missing[*]}" >&2; exit 1; }
  run=(sudo)
fi
export DEBIAN_FRONTEND=noninteractive
install() { "${run[@]}" apt-get install -y --no-install-recommends "${missing[@]}" >/dev/null; }
install 2>/dev/null || { "${run[@]}" apt-get update >/dev/null && install; }
