#!/bin/sh
# Run by dpkg before spotloop-kiosk goes: the machine has its console again, and plays nothing by itself.
set -e

MASK=/etc/systemd/system/spotloop.service.d/50-harden.conf

case "$1" in
  remove | deconfigure)
    systemctl disable spotloop.service spotloop-display.service spotloop-wayland.service \
      spotloop-update-guard.service 2>/dev/null || true
    # What the installation put there, not what the operator did.
    if [ "$(readlink "$MASK")" = /dev/null ]; then
      rm -f "$MASK"
      rmdir --ignore-fail-on-non-empty "$(dirname "$MASK")"
    fi
    if [ -d /run/systemd/system ]; then
      systemctl stop spotloop-update-guard.service spotloop.service spotloop-display.service spotloop-wayland.service || true
      systemctl start --no-block getty@tty1.service || true
    fi
    ;;
esac
