#!/bin/sh
# Brings the panel to another version of Faceplate, watches it, and takes it back unless it proves itself. The root helper
# copies this program beside the packages and starts it as faceplate-update.service; a boot starts it again while `step`
# is there. Nothing here belongs to the version that is installed meanwhile.
#
#   step        install, prove or back: what is to be done, also after a power cut
#   next.deb    the version that is tried             before.deb, before   the version before, and its number
#   back.deb    the version before, while it is installed again
#   good        the service says that all is well     taken-back           why this program went back by itself
set -u
cd "$(dirname "$0")" || exit 1

# The service gives up after 15 minutes; this is for one that cannot.
limit=${FACEPLATE_PROVE_SECONDS:-960}
pause=${FACEPLATE_PROVE_PAUSE:-3}
root=${DPKG_ROOT:-}

say() { echo "$1"; }

step() {
  echo "$1" >step.new
  sync step.new 2>/dev/null || true
  mv step.new step
}

apt() {
  DEBIAN_FRONTEND=noninteractive apt-get -y -o DPkg::Lock::Timeout=60 \
    -o Dpkg::Options::=--force-confdef -o Dpkg::Options::=--force-confold \
    --no-install-recommends --no-remove --reinstall --allow-downgrades install "$1"
}

# Makes a package of what is installed: it need not have come as a file that is still there.
keep_before() {
  info=$root/var/lib/dpkg/info
  rm -rf tree before.new
  mkdir -p tree/DEBIAN || return 1
  dpkg-query -L faceplate >files.new || return 1
  while read -r path; do
    if [ -d "$root$path" ] && [ ! -L "$root$path" ]; then
      mkdir -p "tree$path" || return 1
    elif [ -e "$root$path" ] || [ -L "$root$path" ]; then
      # A second name where it can be, as nothing is changed in place.
      cp -al "$root$path" "tree$path" 2>/dev/null || cp -a "$root$path" "tree$path" || return 1
    fi
  done <files.new
  dpkg-query -s faceplate | sed -e '/^Status:/d' -e '/^Conffiles:/,/^[^ ]/{/^Conffiles:/d;/^ /d}' >tree/DEBIAN/control
  for name in preinst postinst prerm postrm md5sums triggers; do
    [ ! -e "$info/faceplate.$name" ] || cp -p "$info/faceplate.$name" "tree/DEBIAN/$name" || return 1
  done
  if [ -e "$info/faceplate.conffiles" ]; then
    # dpkg-deb refuses one that somebody removed.
    while read -r path; do [ ! -e "tree$path" ] || echo "$path"; done <"$info/faceplate.conffiles" >tree/DEBIAN/conffiles
  fi
  chmod 755 tree tree/DEBIAN
  dpkg-deb -Zgzip -z1 --build tree before.new >/dev/null || return 1
  sync before.new 2>/dev/null || true
  mv before.new before.deb || return 1
  dpkg-query -W -f '${Version}\n' faceplate >before
  rm -rf tree files.new
}

# Back to the version before, because of $1.
fail() {
  say "$1"
  echo "$1" >taken-back
  step back
}

install() {
  # Once it is kept it stays: after a power cut the half-installed version must not take its place.
  if [ ! -e kept ]; then
    if ! keep_before; then
      rm -rf tree before.new files.new
      echo 'The version that runs could not be kept.' >taken-back
      rm -f step next.deb
      systemctl restart faceplate.service
      exit 1
    fi
    : >kept
  fi
  dpkg --configure -a || true
  rm -f boots
  if ! apt ./next.deb; then
    fail 'The installer failed.'
  elif [ "$(cat step)" = install ]; then
    step prove
  fi
}

prove() {
  boots=$(($(cat boots 2>/dev/null || echo 0) + 1))
  echo "$boots" >boots
  if [ "$boots" -gt 3 ]; then
    fail 'The panel was cut off three times before it had proved itself.'
    return
  fi
  read -r begun _ </proc/uptime
  while [ "$(cat step)" = prove ]; do
    if [ -e good ]; then
      rm -f step kept good boots next.deb
      say 'The version has proved itself.'
      exit 0
    fi
    ends=$(systemctl show -p NRestarts --value faceplate.service)
    read -r now _ </proc/uptime
    if [ "${ends:-0}" -ge 3 ]; then
      fail 'The service ended by itself three times.'
    elif [ $((${now%%.*} - ${begun%%.*})) -ge "$limit" ]; then
      fail 'It did not prove itself within 15 minutes.'
    else
      sleep "$pause"
    fi
  done
}

back() {
  # The package starts the service at once: from then on there is no version before.
  [ ! -e before.deb ] || mv before.deb back.deb
  rm -f before
  dpkg --configure -a || true
  for try in 1 2 3; do
    if apt ./back.deb; then
      rm -f step kept good boots next.deb back.deb
      say 'The version before is back.'
      exit 0
    fi
    sleep $((try * 10))
  done
  say 'The version before cannot be installed; the next boot tries again.'
  exit 1
}

while :; do
  case $(cat step 2>/dev/null) in
    install) install ;;
    prove) prove ;;
    back) back ;;
    *) exit 0 ;;
  esac
done
