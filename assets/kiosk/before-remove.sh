#!/bin/sh
# Run by dpkg before spotloop-kiosk goes: the machine has its console again, and plays nothing by itself.
set -e

UNITS='spotloop.service spotloop-display.service spotloop-wayland.service spotloop-update-guard.service'
MASK=/etc/systemd/system/spotloop.service.d/50-harden.conf
WATCH=/var/lib/spotloop-update

case "$1" in
  remove)
    for unit in $UNITS; do systemctl disable "$unit" 2>/dev/null || true; done
    # Read when it is installed again.
    install -d "$WATCH"
    touch "$WATCH/removed"
    # What the installation put there, not what the operator did.
    if [ "$(readlink "$MASK")" = /dev/null ]; then
      rm -f "$MASK"
      rmdir --ignore-fail-on-non-empty "$(dirname "$MASK")"
    fi
    if [ -d /run/systemd/system ]; then
      systemctl stop $UNITS || true
      systemctl start --no-block getty@tty1.service || true
    fi
    # What was on trial is not to be completed then.
    rm -f "$WATCH/state"
    ;;
esac
