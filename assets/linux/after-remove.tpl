#!/bin/sh
# Run by dpkg after the package's files are gone. Configuration, proofs and the user stay.
set -e

case "$1" in
  remove | purge)
    rm -f '/usr/bin/${executable}' '/etc/apparmor.d/${executable}'
    if [ -d /run/systemd/system ]; then systemctl daemon-reload; fi
    ;;
esac
