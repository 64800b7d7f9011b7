#!/bin/sh
# Installs the named Debian packages without starting any service they bring. Needs root.
# Usage: sh installDebianPackages.sh <package>...
set -eu

# invoke-rc.d asks this program before it starts a service; 101 means no. A machine's own one is left alone.
policy=/usr/sbin/policy-rc.d
mark='# made by Faceplate while it installs packages; safe to delete'
if [ ! -e "$policy" ] || grep -qxF "$mark" "$policy"; then
  trap 'rm -f "$policy"' EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM HUP
  printf '#!/bin/sh\n%s\nexit 101\n' "$mark" >"$policy"
  chmod 755 "$policy"
fi

export DEBIAN_FRONTEND=noninteractive
# Old package lists are still worth a try, for example without a network but with packages in the cache.
apt-get update -q || echo 'apt-get update failed; trying with the package lists that are there.' >&2
apt-get install -q -y --no-install-recommends -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 -- "$@"
