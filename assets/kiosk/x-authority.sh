#!/bin/sh
# Run before the X server is: writes the secret that whoever wants to use the display has to know, for root and one group. Another
# one each time.
set -e
umask 077
file=$1
group=$2
# As in Xsecurity(7): any machine, any display, the secret's kind, its bytes; each of the last three with its length before it.
{
  printf '\377\377\0\0\0\0\0\022MIT-MAGIC-COOKIE-1\0\020'
  head -c 16 /dev/urandom
} >"$file.part"
chgrp "$group" "$file.part"
chmod 640 "$file.part"
mv -f "$file.part" "$file"
