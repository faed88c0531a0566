#!/bin/sh
# Run by dpkg when the package has been unpacked. The packager replaces the names in braces.
set -e

APP='/opt/${sanitizedProductName}'
PROFILE='/etc/apparmor.d/${executable}'
DATA=/var/lib/spotloop

# Whom the service runs as. Either may be there, of an image or an installation before.
if ! getent group spotloop >/dev/null; then groupadd --system spotloop; fi
if ! getent passwd spotloop >/dev/null; then
  useradd --system --gid spotloop --home-dir /var/lib/spotloop --shell /usr/sbin/nologin spotloop
fi
for group in audio video render; do
  if getent group "$group" >/dev/null; then usermod --append --groups "$group" spotloop; fi
done

# Configuration and token are the player's own: it reads them itself, and sees when they change.
install -d -m 0755 -o spotloop -g spotloop /etc/spotloop $DATA
for file in config.json org-token; do
  if [ -f "/etc/spotloop/$file" ]; then chown --no-dereference spotloop:spotloop "/etc/spotloop/$file"; fi
done
# As that user: in its folder root would follow whatever link it is given.
runuser -u spotloop -- sh -c 'if [ -f /etc/spotloop/org-token ]; then chmod 0600 /etc/spotloop/org-token || true; fi'
# What older versions left for everybody to read.
if [ -n "$2" ]; then
  runuser -u spotloop -- find $DATA -mindepth 1 ! -type l ! -name health.json -exec chmod go= {} + 2>/dev/null || true
fi

# Ubuntu lets only programs that have a profile make user namespaces, which Chromium's sandbox is made of.
if command -v apparmor_parser >/dev/null && apparmor_parser -Q "$APP/resources/apparmor-profile" 2>/dev/null; then
  install -m 0644 "$APP/resources/apparmor-profile" "$PROFILE"
  apparmor_parser -r "$PROFILE" || true
fi

# Where an ordinary user can make none at all, the sandbox needs its setuid program. In a chroot nobody can, which says
# nothing of the machine that boots the image made there: the kernels of Debian and Ubuntu let them.
if ischroot --default-true || runuser -u spotloop -- unshare --user --map-root-user true 2>/dev/null; then
  chmod 0755 "$APP/chrome-sandbox"
else
  chmod 4755 "$APP/chrome-sandbox"
fi

if [ -d /run/systemd/system ]; then
  systemctl daemon-reload
  # Until then the player that runs is the old one, over files that are gone. Its first picture is not waited for.
  if [ "$1" = configure ] && [ -n "$2" ]; then systemctl try-restart --no-block spotloop.service || true; fi
fi
