#!/bin/sh
# Run by dpkg after the files of spotloop-kiosk are gone.
set -e
if [ "$1" = purge ]; then rm -rf /var/lib/spotloop-update /etc/apt/preferences.d/00spotloop-rolled-back; fi
if [ -d /run/systemd/system ]; then systemctl daemon-reload; fi
