#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Proves demo.sh and test.sh on a bare Debian 12: a fresh clone of HEAD in a debootstrap chroot outside the repository.
# Needs root. Packages come from where this machine gets its own.
set -euo pipefail
cd "$(dirname "$0")/.."
fail() { echo "chroot_check: $*" >&2; exit 1; }
[ "$(id -u)" -eq 0 ] || fail "needs root"
command -v git >/dev/null || fail "needs git"
if ! command -v debootstrap >/dev/null; then
  DEBIAN_FRONTEND=noninteractive apt-get -q -y install --no-install-recommends debootstrap >/dev/null || fail "needs debootstrap"
fi

work=$(mktemp -d "${TMPDIR:-/var/tmp}/npulab-chroot.XXXXXX")
root=$work/root
# Mounts live in a namespace of their own and end with it; should one be left all the same, nothing is removed through it.
cleanup() {
  if grep -qF " $work" /proc/mounts; then echo "chroot_check: something is still mounted, $work is left" >&2; return; fi
  rm -rf --one-file-system "$work"
}
trap cleanup EXIT
trap 'exit 130' INT TERM

# Addresses of this machine's bookworm source, from files of one line an entry and of stanzas; comments and security updates aside.
mirrors() {
  local files=(/etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources) file
  for file in "${files[@]}"; do
    [ -f "$file" ] || continue
    sed -n -E -e 's/^deb( +\[[^]]*\])? +([^ ]+) +bookworm +.*/\2/p' "$file"
    awk 'BEGIN { RS = ""; FS = "\n" }
         { uri = ""; suite = 0
           for (i = 1; i <= NF; i++) {
             if ($i ~ /^URIs:/) { split($i, part, /[ \t]+/); uri = part[2] }
             if ($i ~ /^Suites:/ && $i ~ /[ \t]bookworm([ \t]|$)/) suite = 1
           }
           if (uri != "" && suite) print uri }' "$file"
  done
}
# The whole list is read before the first is taken: a closed pipe would count as a failure.
found=$(mirrors)
mirror=${found%%$'\n'*}
[ -n "$mirror" ] || fail "no source of bookworm in /etc/apt"

echo "== debootstrap"
start=$SECONDS
debootstrap --variant=minbase bookworm "$root" "$mirror" >"$work/log" 2>&1 || { tail -n 20 "$work/log" "$root/debootstrap/debootstrap.log" >&2; fail "debootstrap failed"; }

# Sources, keys and the settings of the download part of apt (proxies among them); not the hooks, which call programs of this machine.
rm -rf "$root/etc/apt/sources.list" "$root/etc/apt/sources.list.d"
for name in sources.list sources.list.d trusted.gpg trusted.gpg.d keyrings; do
  if [ -e "/etc/apt/$name" ]; then cp -aT "/etc/apt/$name" "$root/etc/apt/$name"; fi
done
if [ -d /usr/share/keyrings ]; then mkdir -p "$root/usr/share/keyrings"; cp -a /usr/share/keyrings/. "$root/usr/share/keyrings/"; fi
apt-config dump Acquire >"$root/etc/apt/apt.conf.d/50machine"
for file in /etc/resolv.conf /etc/hosts; do
  if [ -f "$file" ]; then cp -L "$file" "$root$file"; fi
done
if [ -f /etc/ssl/certs/ca-certificates.crt ]; then
  mkdir -p "$root/etc/ssl/certs"
  cp -L /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"
fi

git -c advice.detachedHead=false clone -q --no-hardlinks "file://$PWD" "$root/npulab" || fail "clone failed"
git -C "$root/npulab" checkout -q --detach "$(git rev-parse HEAD)"
echo "$(git rev-parse --short HEAD) on $(cat "$root/etc/debian_version"), $(chroot "$root" dpkg-query -W | wc -l) packages, after $((SECONDS - start)) s"

environment=(HOME=/root LANG=C.UTF-8 PATH=/usr/sbin:/usr/bin:/sbin:/bin)
for name in http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY; do
  if [ -n "${!name:-}" ]; then environment+=("$name=${!name}"); fi
done
for script in demo.sh test.sh; do
  echo "== scripts/$script"
  start=$SECONDS
  # shellcheck disable=SC2016
  unshare --mount --pid --fork --kill-child --propagation private sh -euc '
      root=$1 script=$2; shift 2
      mount -t proc proc "$root/proc"; mount --rbind /sys "$root/sys"; mount --rbind /dev "$root/dev"
      exec chroot "$root" /usr/bin/env -i "$@" bash "/npulab/scripts/$script"' sh "$root" "$script" "${environment[@]}" || fail "$script failed on a bare Debian 12"
  echo "== scripts/$script: passed after $((SECONDS - start)) s"
done
echo "chroot_check: demo.sh and test.sh pass on a bare Debian 12"
