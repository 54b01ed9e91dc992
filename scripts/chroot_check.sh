#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Proves demo.sh and test.sh from a fresh clone on a bare Debian 12, in a debootstrap chroot. Root only. Uses this machine's own
# package sources.
set -euo pipefail
cd "$(dirname "$0")/.."
[ "$(id -u)" -eq 0 ] || { echo "chroot_check: needs root" >&2; exit 1; }
command -v debootstrap >/dev/null || apt-get install -y --no-install-recommends debootstrap >/dev/null
root=$(mktemp -d /var/tmp/npulab-chroot.XXXXXX)
cleanup() {
  for place in dev/pts dev proc sys; do umount -l "$root/$place" 2>/dev/null || true; done
  rm -rf "$root"
}
trap cleanup EXIT
mirror=$(grep -rhoE '(https?|file)://[^ ]+' /etc/apt/sources.list /etc/apt/sources.list.d 2>/dev/null | grep -v security | head -n 1)
debootstrap --variant=minbase bookworm "$root" "$mirror" >/dev/null
cp -a /etc/apt/. "$root/etc/apt/"
[ -d /usr/share/keyrings ] && cp -a /usr/share/keyrings/. "$root/usr/share/keyrings/"
cp /etc/resolv.conf "$root/etc/resolv.conf" 2>/dev/null || true
for certificates in /etc/ssl/certs /usr/local/share/ca-certificates; do
  [ -d "$certificates" ] && mkdir -p "$root$certificates" && cp -aL "$certificates/." "$root$certificates/" 2>/dev/null || true
done
mount -t proc proc "$root/proc"; mount --rbind /sys "$root/sys"; mount --rbind /dev "$root/dev"
git clone -q --no-hardlinks . "$root/npulab"
for script in demo test; do
  echo "== scripts/$script.sh in the chroot"
  chroot "$root" /usr/bin/env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin http_proxy="${http_proxy:-}" https_proxy="${https_proxy:-}" \
    bash "/npulab/scripts/$script.sh"
done
echo "both scripts succeeded on a bare Debian 12"
