#!/bin/sh
# Starts Wayland's compositor, on the display that came last, and a command in it.
set -- -d -- "$@"
case "$(cage -v 2>&1)" in
# Debian 12's crashes with its first display when it is told which to use: it stretches over all there are.
*" 0.1.4") ;;
*) set -- -m last "$@" ;;
esac
exec cage "$@"
