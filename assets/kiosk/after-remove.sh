#!/bin/sh
# Run by dpkg after the files of spotloop-kiosk are gone.
set -e
if [ -d /run/systemd/system ]; then systemctl daemon-reload; fi
