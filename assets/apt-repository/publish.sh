#!/bin/sh
# A signed apt repository of Spotloop's packages, with the suites canary and stable. Needs aptly, apt-utils and gpg.
#
#   publish.sh key "Vendor <updates@vendor.example>"   makes the key that signs, once
#   publish.sh canary FILE.deb…                        adds packages to canary
#   publish.sh stable VERSION [PERCENT]                takes a version of canary into stable, for a share of the machines;
#                                                      said again with another share, or none for all, it reaches more
#
# Everything is in $SPOTLOOP_REPOSITORY, ~/spotloop-repository where that is not set. What is to be served is `public` in it,
# replaced as a whole.
set -eu
# A web server of another user's reads what is public.
umask 022

ROOT=${SPOTLOOP_REPOSITORY-$HOME/spotloop-repository}
mkdir -p "$ROOT"
ROOT=$(cd "$ROOT" && pwd)
export GNUPGHOME="$ROOT/keys"
# Older ones leave the repository; a machine's way back is on the machine.
MOST_VERSIONS=10

install -d -m 0700 "$GNUPGHOME"
printf '%s' '{ "rootDir": "'"$ROOT"'/aptly", "architectures": ["amd64", "arm64", "all"], "FileSystemPublishEndpoints":
  { "next": { "rootDir": "'"$ROOT"'/next", "linkMethod": "hardlink", "verifyMethod": "md5" } } }' >"$ROOT/aptly.conf"
touch "$ROOT/shares"

ours() { aptly -config="$ROOT/aptly.conf" "$@"; }

make_key() {
  if gpg --list-secret-keys 2>/dev/null | grep -q .; then
    echo "there is a key already, in $GNUPGHOME" >&2
    exit 1
  fi
  gpg --batch --quiet --passphrase '' --quick-generate-key "$1" ed25519 sign never
  gpg --armor --export >"$ROOT/spotloop.asc"
  echo "Machines trust $ROOT/spotloop.asc; $GNUPGHOME is the secret."
}

add() {
  suite=$1
  shift
  ours repo show "$suite" >/dev/null 2>&1 || ours repo create -distribution="$suite" "$suite" >/dev/null
  "$@"
  ours repo search -format='{{.Version}}' "$suite" spotloop | sort -uV | head -n -$MOST_VERSIONS |
    while read -r old; do ours repo remove "$suite" "spotloop (= $old)" "spotloop-kiosk (= $old)" >/dev/null; done
}

# All that is to be served is made beside what is, and takes its place at once.
publish() {
  for suite in canary stable; do
    ours repo show "$suite" >/dev/null 2>&1 || continue
    if ours publish show "$suite" filesystem:next: >/dev/null 2>&1; then
      ours publish update -skip-signing -skip-contents "$suite" filesystem:next: >/dev/null
    else
      ours publish repo -skip-signing -skip-contents -origin=Spotloop -label=Spotloop "$suite" filesystem:next: >/dev/null
    fi
  done
  served="$ROOT/public.$(date +%s%N)"
  mkdir "$served"
  cp -al "$ROOT/next/pool" "$served/pool"
  cp -a "$ROOT/next/dists" "$served/dists"
  cp "$ROOT/spotloop.asc" "$served"
  for suite in "$served"/dists/*; do sign "$suite" "$(basename "$suite")"; done
  before=$(readlink "$ROOT/public" || true)
  # One that was killed midway has left its own.
  ln -sfn "$(basename "$served")" "$ROOT/public.new"
  mv -T "$ROOT/public.new" "$ROOT/public"
  # Whoever is fetching from the last one can go on; what was before that goes.
  for old in "$ROOT"/public.[0-9]*; do
    [ "$old" = "$served" ] || [ "$(basename "$old")" = "$before" ] || rm -rf "$old"
  done
}

# Writes the shares of stable into its lists, then what the lists sum up to, and signs that.
sign() (
  cd "$1"
  find . -name 'Packages*' ! -name Packages -delete
  [ "$2" != stable ] || find . -name Packages | while read -r list; do
    awk -v shares="$ROOT/shares" 'FILENAME == shares { share[$1] = $2; next }
      /^Version: / { version = $2 }
      /^$/ && version != "" { if (version in share) print "Phased-Update-Percentage: " share[version]; version = "" }
      { print }' "$ROOT/shares" "$list" >"$list.new"
    mv "$list.new" "$list"
  done
  find . -name Packages -exec gzip -9nk {} +
  rm -f Release InRelease Release.gpg
  field=APT::FTPArchive::Release
  apt-ftparchive -o $field::Origin=Spotloop -o $field::Label=Spotloop -o $field::Suite="$2" -o $field::Codename="$2" \
    -o $field::Components=main -o $field::Architectures='amd64 arm64' release . >"$ROOT/Release"
  mv "$ROOT/Release" Release
  gpg --batch --quiet --yes --clearsign --output InRelease Release
  gpg --batch --quiet --yes --armor --detach-sign --output Release.gpg Release
)

promote() {
  share=${2-100}
  case "$share" in '' | *[!0-9]*) echo "a share is a number from 0 to 100, not $share" >&2 && exit 2 ;; esac
  [ "$share" -le 100 ] || { echo "a share is a number from 0 to 100, not $share" >&2 && exit 2; }
  ours repo search canary "spotloop (= $1)" >/dev/null || { echo "there is no $1 in canary" >&2 && exit 1; }
  # The share comes first: without it whatever publishes next would bring the version to all. As text: 1.1 and 1.10 are one number.
  awk -v version="$1" '$1 "" != version ""' "$ROOT/shares" >"$ROOT/shares.new"
  [ "$share" -eq 100 ] || echo "$1 $share" >>"$ROOT/shares.new"
  mv "$ROOT/shares.new" "$ROOT/shares"
  add stable ours repo copy canary stable "spotloop (= $1)" "spotloop-kiosk (= $1)" >/dev/null
}

# Each step by itself: in a list of && a failure within one would be passed over.
case "${1-} ${2-}" in
  key\ ?*) make_key "$2" ;;
  canary\ ?*)
    shift
    add canary ours repo add canary "$@"
    publish
    ;;
  stable\ ?*)
    shift
    promote "$@"
    publish
    ;;
  *) sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2 && exit 2 ;;
esac
