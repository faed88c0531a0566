#!/bin/sh
# Starts the player on the display that /etc/default/spotloop-kiosk says. Chromium is always told which: it would choose by itself.
if [ "${SPOTLOOP_SESSION-x11}" = wayland ]; then
  unset DISPLAY
  export XDG_RUNTIME_DIR=/run/spotloop-display WAYLAND_DISPLAY=wayland-0 XDG_SESSION_TYPE=wayland
  export XCURSOR_PATH=/usr/share/spotloop-kiosk/pointers
  tries=60
  until [ -S "$XDG_RUNTIME_DIR/$WAYLAND_DISPLAY" ]; do
    tries=$((tries - 1))
    if [ "$tries" -eq 0 ]; then
      echo "the display $WAYLAND_DISPLAY is not there" >&2
      exit 1
    fi
    sleep 1
  done
  exec /opt/Spotloop/spotloop --log-level=3 --ozone-platform=wayland
fi
exec /opt/Spotloop/spotloop --log-level=3 --ozone-platform=x11
