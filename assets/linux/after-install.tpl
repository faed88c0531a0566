#!/bin/sh
# Run by dpkg when the package has been unpacked. The packager replaces the names in braces.
set -e

APP='/opt/${sanitizedProductName}'
PROFILE='/etc/apparmor.d/${executable}'

ln -sf "$APP/${executable}" '/usr/bin/${executable}'

# Whom the service runs as.
if ! getent passwd spotloop >/dev/null; then
  useradd --system --user-group --home-dir /var/lib/spotloop --shell /usr/sbin/nologin spotloop
fi
for group in audio video render; do
  if getent group "$group" >/dev/null; then usermod --append --groups "$group" spotloop; fi
done

# Ubuntu lets only programs that have a profile make user namespaces, which Chromium's sandbox is made of.
if command -v apparmor_parser >/dev/null && apparmor_parser -Q "$APP/resources/apparmor-profile" 2>/dev/null; then
  install -m 0644 "$APP/resources/apparmor-profile" "$PROFILE"
  apparmor_parser -r "$PROFILE" || true
fi

# Where an ordinary user can make none at all, the sandbox needs its setuid program.
if runuser -u spotloop -- unshare --user --map-root-user true 2>/dev/null; then
  chmod 0755 "$APP/chrome-sandbox"
else
  chmod 4755 "$APP/chrome-sandbox"
fi

if [ -d /run/systemd/system ]; then systemctl daemon-reload; fi
