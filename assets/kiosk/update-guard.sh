#!/bin/sh
# Watches over an upgrade of Spotloop. Run by apt before it changes packages (`before`), and by spotloop-update-guard.service
# (`repair`, `watch`), out of a copy that the upgrade does not replace. An upgrade is taken back where the new version, within
# ten minutes in which it should have, does not prove on as many screens as proved before.
set -eu

# What is kept: the packages of the version that proved and of the one on trial, and where the trial stands.
DIR=/var/lib/spotloop-update
# The first that fits a version is what counts for apt: before whatever else is said of these packages.
PIN=/etc/apt/preferences.d/00spotloop-rolled-back
# Told by the player, and gone with it: how it is.
VITALS=/run/spotloop/vitals
PACKAGES='spotloop spotloop-kiosk'

WITHIN_S=${SPOTLOOP_UPDATE_WITHIN-600}
TICK_S=5
# The player tells of itself three times in this.
FRESH_S=60
# A place that is closed or offline for so long has no verdict: the version stays.
UNDECIDED_S=$((14 * 24 * 3600))
DOWNLOAD_S=120
MOST_TRIES=5
MOST_PINNED=10
MOST_BYTES=4096
# Of a number: until the year 2286 in seconds.
MOST_DIGITS=10
# What apt's configuration takes for "do not go on".
REFUSED=10

# The version that this saw installed as a whole while it watches.
settled=''

# Replaces a file by what is read: after a power cut there is the old one or the new one.
commit() {
  cat >"$1.new" &&
    sync "$1.new" &&
    mv "$1.new" "$1" &&
    sync "$(dirname "$1")"
}

# The vitals are in a folder of the player's, and told by the version on trial: a link is not followed, a pipe not waited for.
field() {
  if [ -f "$1" ]; then
    dd if="$1" bs=$MOST_BYTES count=1 iflag=nofollow,nonblock 2>/dev/null | sed -n "s/^$2=//p" | head -n 1
  fi
}

# A field of plain digits; nothing where it is anything else. To calculate with that could end the script, or run a command.
number() {
  digits=$(field "$1" "$2")
  case "$digits" in
    *[!0-9]* | 0?*) ;;
    *) if [ ${#digits} -le $MOST_DIGITS ]; then echo "$digits"; fi ;;
  esac
}

# Where the trial stands: `trial`, `rolling-back`, or how it ended: `proved`, `rolled-back`, `undecided`, `by-hand`, `stuck`.
# `over`: what was installed before apt began; not `from` where one was on trial already.
load() {
  phase=$(field $DIR/state phase) from=$(field $DIR/state from) to=$(field $DIR/state to) over=$(field $DIR/state over)
  usual=$(number $DIR/state usual) clock=$(number $DIR/state clock) since=$(number $DIR/state since)
  tries=$(number $DIR/state tries)
  : "${over:=$from}" "${clock:=0}" "${tries:=0}" "${since:=$(date +%s)}"
}

is_open() {
  case "$phase" in trial | rolling-back | stuck) ;; *) return 1 ;; esac
}

save() {
  phase=$1
  printf '%s=%s\n' phase "$phase" from "$from" to "$to" over "$over" usual "$usual" clock "$clock" since "$since" \
    tries "$tries" | commit $DIR/state
}

# --- Before the packages are changed -----------------------------------------------------------------------------------

before() {
  old='' new='' back='' rehearsed='' off=''
  load
  # apt's configuration. A rehearsal, as of `unattended-upgrade --dry-run`, is followed by nothing that could be completed.
  while read -r line && [ -n "$line" ]; do
    case "$line" in Debug::pkgDPkgPM=[1-9ty]* | Debug::pkgDPkgPM=on) rehearsed=yes ;; esac
  done
  case "$(systemctl is-enabled spotloop-update-guard.service 2>/dev/null)" in masked*) off=yes ;; esac
  if [ -n "$off" ] && is_open; then save by-hand; fi
  if [ -n "$off$rehearsed" ]; then cat >/dev/null && return; fi
  install -d -m 0755 $DIR $DIR/kept
  while read -r name was _ _ direction becomes _ _ file; do
    case " $PACKAGES " in *" $name "*) ;; *) continue ;; esac
    case "$file" in *.deb) ;; *) continue ;; esac
    [ "$direction" != '<' ] || [ "$was" = - ] || old=$was new=$becomes
    [ "$direction" != '>' ] || back=$becomes
    keep "$name" "$becomes" "$file" || refuse "$becomes cannot be kept: is the disk full?"
  done
  if [ -n "$back" ] && is_open; then save by-hand; fi
  if [ -z "$new" ] || [ ! -d /run/systemd/system ]; then return; fi
  if grep -qsFx "Pin: version $new" $PIN; then
    echo "Spotloop $new was taken back once, and is installed by hand: it is not watched over."
    return
  fi
  # A newer one in the midst of a trial, or of its end: the way back is to what proved. Else the measure is how many screens
  # proved in the last days, as the player that runs tells; nothing where none runs.
  is_open && [ -n "$from" ] && [ -d "$DIR/kept/$from" ] || from=$old usual=$(if is_fresh; then number $VITALS usual; fi)
  for name in $PACKAGES; do
    keep_installed "$name" "$from" || refuse "no way back from it can be kept: $name $from is not to be had."
  done
  to=$new over=$old clock=0 tries=0 since=$(date +%s)
  install -m 0755 "$0" $DIR/guard.new
  sync $DIR/guard.new
  mv $DIR/guard.new $DIR/guard
  save trial
  systemctl start --no-block spotloop-update-guard.service
  echo "Spotloop $to is on trial; $from is kept."
}

# What is not installed is not kept: it would take the room that the next one needs.
refuse() {
  [ -z "$new" ] || rm -rf "$DIR/kept/$new"
  echo "Spotloop is not upgraded: $*" >&2
  exit $REFUSED
}

keep() {
  [ -s "$DIR/kept/$2/$1.deb" ] && return
  install -d "$DIR/kept/$2"
  cp "$3" "$DIR/kept/$2/$1.deb.new" && sync "$DIR/kept/$2/$1.deb.new" &&
    mv "$DIR/kept/$2/$1.deb.new" "$DIR/kept/$2/$1.deb"
}

# The package of an installed version: kept when it was installed, in apt's cache, in the repository, or made again of its files.
keep_installed() {
  [ -s "$DIR/kept/$2/$1.deb" ] && return
  place=$(mktemp -d)
  for file in /var/cache/apt/archives/"$1"_*.deb; do
    if [ "$(dpkg-deb -f "$file" Version 2>/dev/null)" = "$2" ]; then cp "$file" "$place"; fi
  done
  (
    cd "$place"
    set -- "$1" "$2" ./*.deb
    [ -e "$3" ] || timeout $DOWNLOAD_S apt-get -qq download "$1=$2" 2>/dev/null || dpkg-repack -d-Zgzip -d-z1 "$1" >/dev/null
  ) </dev/null
  set -- "$1" "$2" "$place"/*.deb
  kept=1
  if [ "$(dpkg-deb -f "$3" Version 2>/dev/null)" = "$2" ] && keep "$1" "$2" "$3"; then kept=0; fi
  rm -rf "$place"
  return $kept
}

# --- After a start, and while the trial goes on ------------------------------------------------------------------------

# What a power cut left half done is done before the player is started.
repair() {
  load
  case "$phase" in
    trial) is_settled || is_busy || finish ;;
    # What could not be put back may be after a start.
    rolling-back | stuck) is_busy || go_back ;;
  esac
}

watch() {
  load
  while [ "$phase" = trial ] || [ "$phase" = rolling-back ]; do
    if is_busy; then
      :
    elif [ "$phase" = rolling-back ]; then
      go_back
    elif is_settled; then
      settled=$to
      judge
    else
      finish
    fi
    sleep $TICK_S
    load
  done
}

# Whether apt or dpkg works: who holds the lock is listed by the file's number.
is_busy() {
  grep -q ":$(stat -c %i /var/lib/dpkg/lock-frontend) " /proc/locks
}

# The version of both packages, where they are whole and of one. A package that is held is as whole as another.
installed() {
  dpkg-query --show --showformat='${db:Status-Status} ${db:Status-Eflag} ${Version}\n' $PACKAGES |
    sort | uniq -c | sed -n 's/^ *2 installed ok //p'
}

is_settled() { [ "$(installed)" = "$to" ]; }

# Whether somebody chose another version meanwhile, by dpkg: none that apt or this dealt with.
is_chosen() {
  chosen=$(installed)
  case "$chosen" in "" | "$from" | "$to" | "$over") return 1 ;; esac
}

by_hand() {
  save by-hand
  echo "Spotloop $(installed) was installed by hand: it is not judged."
}

# An upgrade that was cut short is completed, and where that cannot be, taken back. One that was complete was not cut short.
finish() {
  if is_chosen || { [ "$settled" = "$to" ] && [ -n "$(installed)" ]; }; then by_hand && return; fi
  tries=$((tries + 1))
  save trial
  echo "The upgrade to $to was cut short, and is completed."
  dpkg --force-confdef --force-confold --configure -a </dev/null || true
  if is_settled || { put "$to" && is_settled; }; then return; fi
  [ "$tries" -lt $MOST_TRIES ] || take_back "it cannot be installed"
}

judge() {
  if [ -z "$usual" ]; then
    end proved "$to stays: before it no player ran that could be a measure."
  elif [ $(($(date +%s) - since)) -gt $UNDECIDED_S ]; then
    end undecided "$to stays: there was nothing to judge it by."
  elif is_fresh && [ "$(field $VITALS version)" = "$to" ] && proved=$(number $VITALS proved) && [ -n "$proved" ]; then
    if [ "$proved" -ge "$usual" ]; then
      end proved "$to shows and proves ($proved screens, $usual before): it stays."
    elif [ "$(number $VITALS expected)" != 0 ]; then
      count "$proved screens proved, $usual did before"
    fi
  elif [ "$(systemctl show spotloop.service --property ActiveState --value)" != inactive ]; then
    count "the player does not tell that it plays"
  fi
}

is_fresh() {
  beat=$(number $VITALS beat)
  [ -n "$beat" ] && [ $(($(cut -d. -f1 /proc/uptime) - beat)) -le $FRESH_S ]
}

count() {
  clock=$((clock + TICK_S))
  save trial
  [ "$clock" -lt "$WITHIN_S" ] || take_back "$1 within $WITHIN_S s"
}

end() {
  save "$1"
  for kept in "$DIR"/kept/*; do [ "$kept" = "$DIR/kept/$to" ] || rm -rf "$kept"; done
  # What was taken back stays barred until a newer one proves.
  for barred in $(sed -n 's/^Pin: version //p' $PIN 2>/dev/null); do
    ! dpkg --compare-versions "$barred" gt "$to" || bar "$barred"
  done | commit $PIN
  [ -s $PIN ] || rm -f $PIN
  echo "Spotloop $2"
}

bar() {
  printf 'Package: %s\nPin: version %s\nPin-Priority: -1\n\n' "$PACKAGES" "$1"
}

take_back() {
  echo "Spotloop $to is taken back: $1."
  tries=0
  save rolling-back
  go_back
}

# The bad version is barred first: whatever happens then, it does not come back by itself. A newer one may.
go_back() {
  if is_chosen; then by_hand && return; fi
  tries=$((tries + 1))
  save rolling-back
  if ! grep -qsFx "Pin: version $to" $PIN; then
    { tail -n $(((MOST_PINNED - 1) * 4)) $PIN 2>/dev/null || true && bar "$to"; } | commit $PIN
  fi
  dpkg --force-confdef --force-confold --configure -a </dev/null || true
  if put "$from"; then
    save rolled-back
    rm -rf "$DIR/kept/$to"
    echo "Spotloop $from runs again; $to is not installed again, a newer one is."
  elif [ "$tries" -ge $MOST_TRIES ]; then
    save stuck
    echo "Spotloop $from cannot be installed again: somebody has to look at this machine."
  fi
}

# By dpkg, which installs over whatever was left half done, where apt would first have it mended by somebody; by apt where a
# package that this version needs is not there any more.
put() {
  set -- "$DIR/kept/$1/spotloop.deb" "$DIR/kept/$1/spotloop-kiosk.deb"
  export DEBIAN_FRONTEND=noninteractive
  dpkg --force-confdef --force-confold --install "$@" </dev/null ||
    apt-get install --yes --quiet --allow-downgrades --reinstall --option DPkg::Lock::Timeout=600 \
      --option Dpkg::Options::=--force-confdef --option Dpkg::Options::=--force-confold "$@" </dev/null
}

case "${1-}" in
  before | repair | watch) "$1" ;;
  *)
    echo "usage: $0 before | repair | watch" >&2
    exit 2
    ;;
esac
