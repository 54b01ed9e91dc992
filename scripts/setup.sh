#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what the build and the tests need on Debian 12. When all of it is there it does nothing and needs no network.
set -euo pipefail

packages=(
  g++                          # C++17 compiler
  cmake                        # build description, ctest
  ninja-build                  # the presets' generator
  pkg-config                   # finds SystemC
  libsystemc-dev               # simulation kernel
  libyaml-cpp-dev              # configuration files
  libfmt-dev                   # text formatting
  libspdlog-dev                # messages
  nlohmann-json3-dev           # JSON results
  libonnx-dev                  # ONNX message definitions
  libprotobuf-dev              # reads ONNX files
  protobuf-compiler            # wanted by the CMake package of ONNX
  libzstd-dev                  # compressed instruction logs
  zlib1g-dev                   # compressed timelines
  libssl-dev                   # digests of input files in the manifest
  libboost-program-options-dev # command line
  libgtest-dev                 # tests
  libgmock-dev                 # tests: matchers
  libbenchmark-dev             # measurements of speed
  pciutils                     # lspci, the third party that reads our PCIe configuration space
  python3                      # test drivers; python3-minimal lacks json and concurrent.futures
)

missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$status" = installed ] || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "setup: ${missing[*]}: not installed, and neither root nor sudo is at hand to install them" >&2
    exit 1
  fi
  as_root=(sudo)
fi
echo "setup: installing ${missing[*]}"

log=$(mktemp)
trap 'rm -f "$log"' EXIT
apt() { "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y "$@" >"$log" 2>&1; }
if ! apt update && ! { sleep 5 && apt update; }; then
  echo "setup: no fresh package lists, going on with those at hand" >&2
fi
if ! apt install --no-install-recommends "${missing[@]}"; then
  tail -n 20 "$log" >&2
  echo "setup: apt-get install failed" >&2
  exit 1
fi
