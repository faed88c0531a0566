#!/bin/sh
# Run by dpkg after the package's files are gone. Whatever is removed, proofs, record and key stay, purged or not.
set -e

DATA=/var/lib/spotloop

case "$1" in
  remove | purge)
    rm -f '/etc/apparmor.d/${executable}'
    if [ -d /run/systemd/system ]; then systemctl daemon-reload; fi
    ;;
esac

if [ "$1" = purge ]; then
  rm -f /etc/spotloop/config.json /etc/spotloop/org-token /etc/spotloop/environment
  rmdir --ignore-fail-on-non-empty /etc/spotloop 2>/dev/null || true
  # What can be had again.
  for name in media media.db media.db-wal media.db-shm chromium logs ballast boot.json health.json starts.json \
    recovery.json player.lock sender.lock overrides.json remote.db remote.db-wal remote.db-shm remote.sock \
    remote-bundle.json .cache .config; do
    rm -rf "$DATA/$name"
  done
  rm -f "$DATA"/screen-*.json
  if rmdir "$DATA" 2>/dev/null || [ ! -d "$DATA" ]; then
    # One that was there before the package, with a home elsewhere, is somebody's account.
    if [ "$(getent passwd spotloop | cut -d: -f6)" = $DATA ]; then userdel spotloop || true; fi
    if ! getent passwd spotloop >/dev/null && getent group spotloop >/dev/null; then groupdel spotloop || true; fi
  else
    echo "spotloop: proofs, the playout record and its key are kept in $DATA; what belongs to you is yours to delete." >&2
  fi
fi
