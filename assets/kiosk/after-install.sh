#!/bin/sh
# Run by dpkg when spotloop-kiosk has been unpacked: from the next boot on, and from now on, this machine is a kiosk.
set -e

UNITS='spotloop-display.service spotloop-wayland.service spotloop.service'
MASK=/etc/systemd/system/spotloop.service.d/50-harden.conf
REMOVED=/var/lib/spotloop-update/removed
is_new=

# Chromium's setuid sandbox, which is for machines without user namespaces, needs the privileges that hardening takes.
if [ -u /opt/Spotloop/chrome-sandbox ]; then
  install -d "$(dirname "$MASK")"
  [ -e "$MASK" ] || ln -s /dev/null "$MASK"
elif [ "$(readlink "$MASK")" = /dev/null ]; then
  rm -f "$MASK"
fi

# What the operator masked stays so; to enable it would be an error.
enable_units() {
  for unit; do
    case "$(systemctl is-enabled "$unit" 2>/dev/null)" in masked*) ;; *) systemctl enable "$unit" ;; esac
  done
}

# An upgrade leaves what the operator switched off as it is. To come back after a removal is none, though dpkg names a version.
if [ -z "$2" ] || [ -e "$REMOVED" ]; then
  is_new=yes
  enable_units $UNITS
fi
enable_units spotloop-update-guard.service
rm -f "$REMOVED"
if [ -d /run/systemd/system ]; then
  systemctl daemon-reload
  systemctl try-restart systemd-journald.service || true
  if [ -n "$is_new" ]; then systemctl start --no-block $UNITS || true; fi
fi
