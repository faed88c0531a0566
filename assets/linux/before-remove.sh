#!/bin/sh
# Run by dpkg before the package's files go. An upgrade leaves the player running: it is restarted once all is there.
set -e

# The players that run, however they were started; the processes below one end with it.
players() {
  for process in /proc/[0-9]*; do
    case "$(readlink "$process/exe")" in
      # The second is one from before an upgrade: its file was replaced.
      /opt/Spotloop/spotloop | '/opt/Spotloop/spotloop (deleted)') ;;
      *) continue ;;
    esac
    tr '\0' '\n' <"$process/cmdline" 2>/dev/null | grep -q '^--type=' || echo "${process#/proc/}"
  done
}

end_players() {
  found=$(players)
  [ -n "$found" ] || return 0
  kill -s "$1" $found 2>/dev/null || true
  tries=15
  while [ "$tries" -gt 0 ] && [ -n "$(players)" ]; do
    sleep 1
    tries=$((tries - 1))
  done
}

case "$1" in
  remove)
    # Before the unit file is gone: a link to it would be left over.
    if command -v systemctl >/dev/null; then systemctl disable spotloop.service 2>/dev/null || true; fi
    if [ -d /run/systemd/system ]; then systemctl stop spotloop.service || true; fi
    end_players TERM
    end_players KILL
    ;;
esac
