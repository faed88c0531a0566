#!/bin/sh
# Starts Wayland's compositor, on the display that came last, and a command in it.
set -- -d -- "$@"
case "$(cage -v 2>&1)" in
*" 0.1.4") # Debian 12's
  # It crashes at its first display when it is told which to use: it stretches over all there are.
  # Its Mesa crashes while it composes with no graphics hardware: there cage composes without.
  if systemd-detect-virt --quiet --vm || ! [ -e /dev/dri/renderD128 ]; then
    export WLR_RENDERER="${WLR_RENDERER-pixman}"
  fi
  ;;
*) set -- -m last "$@" ;;
esac
exec cage "$@"
