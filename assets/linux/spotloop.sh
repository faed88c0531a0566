#!/bin/sh
# The player and its command line. What root asks for is done as the player's own user: Chromium does not run as root,
# and the data folder, the configuration and the token belong to that user.
app=/opt/Spotloop/spotloop
if [ "$(id -u)" -ne 0 ]; then exec "$app" "$@"; fi
export HOME=/var/lib/spotloop
# The kiosk's display, as in the unit, where there is one: it is asked for its size. With one that is not there Chromium ends.
if [ -z "${DISPLAY-}" ] && [ -S /tmp/.X11-unix/X0 ]; then
  export DISPLAY=:0
  if [ -e /run/spotloop-x11/authority ]; then export XAUTHORITY=/run/spotloop-x11/authority; fi
fi
if [ -S /run/spotloop-display/wayland-0 ]; then
  unset DISPLAY
  export XDG_RUNTIME_DIR=/run/spotloop-display WAYLAND_DISPLAY=wayland-0 XDG_SESSION_TYPE=wayland
fi
if [ "${1-}" != provision ]; then exec runuser -u spotloop -- "$app" "$@"; fi

# The service is root's to start. The command says by these codes that it is to be, and looks at the screen afterwards. Where
# systemd does not run, or has no such unit, it is not asked to.
if systemctl cat spotloop.service >/dev/null 2>&1; then export SPOTLOOP_STARTER=1; else unset SPOTLOOP_STARTER; fi
code=0
runuser -u spotloop -- "$app" "$@" || code=$?
case "$code" in
  100) ;;
  101) systemctl stop spotloop.service || exit ;;
  *) exit "$code" ;;
esac
systemctl enable --now --no-block spotloop.service || exit
exec runuser -u spotloop -- "$app" first-picture
