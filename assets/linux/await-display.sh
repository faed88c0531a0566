#!/bin/sh
# Run before the player is: waits until the X server answers. A player that finds none ends, and would take that for a
# crash. Where this gives up the unit begins again. Wayland, and another machine's display, are the operator's to wait for.
case "$DISPLAY" in
  :*) ;;
  *) exit 0 ;;
esac
socket=${DISPLAY#:}
socket=/tmp/.X11-unix/X${socket%%.*}

answers() {
  if command -v xset >/dev/null; then xset q >/dev/null 2>&1; else [ -S "$socket" ]; fi
}

tries=60
until answers; do
  tries=$((tries - 1))
  if [ "$tries" -eq 0 ]; then
    echo "the display $DISPLAY does not answer" >&2
    exit 1
  fi
  sleep 1
done
