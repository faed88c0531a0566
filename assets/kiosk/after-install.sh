#!/bin/sh
# Run by dpkg when spotloop-kiosk has been unpacked: from the next boot on, and from now on, this machine is a kiosk.
set -e

UNITS='spotloop-display.service spotloop-wayland.service spotloop.service'
MASK=/etc/systemd/system/spotloop.service.d/50-harden.conf

# Chromium's setuid sandbox, which is for machines without user namespaces, needs the privileges that hardening takes.
if [ -u /opt/Spotloop/chrome-sandbox ]; then
  install -d "$(dirname "$MASK")"
  [ -e "$MASK" ] || ln -s /dev/null "$MASK"
elif [ "$(readlink "$MASK")" = /dev/null ]; then
  rm -f "$MASK"
fi

# An upgrade leaves what the operator switched off as it is.
if [ -z "$2" ]; then systemctl enable $UNITS; fi
systemctl enable spotloop-update-guard.service
if [ -d /run/systemd/system ]; then
  systemctl daemon-reload
  systemctl try-restart systemd-journald.service || true
  if [ -z "$2" ]; then systemctl start --no-block $UNITS || true; fi
fi
