#!/usr/bin/env bash
# Copies folders to a disk, keeps some days of them, and says what it did.
set -euo pipefail

readonly PROGRAM=${0##*/}
KEEP_DAYS=14
TARGET=/mnt/backup
VERBOSE=0
EXCLUDES=()

usage() {
  cat <<USAGE
Usage: $PROGRAM [-v] [-k days] [-t target] [-x pattern]... folder...

  -k days     how long copies are kept (default $KEEP_DAYS)
  -t target   where they go (default $TARGET)
  -x pattern  leave out what matches, more than once if need be
  -v          name every file
USAGE
}

say() {
  if [ "$VERBOSE" -ge 1 ]; then
    printf '%s: %s\n' "$PROGRAM" "$*"
  fi
}

fail() {
  printf '%s: %s\n' "$PROGRAM" "$*" >&2
  exit 1
}

while getopts "k:t:x:vh" option; do
  case "$option" in
    k) KEEP_DAYS=$OPTARG ;;
    t) TARGET=$OPTARG ;;
    x) EXCLUDES+=("--exclude=$OPTARG") ;;
    v) VERBOSE=1 ;;
    h)
      usage
      exit 0
      ;;
    *)
      usage >&2
      exit 2
      ;;
  esac
done
shift $((OPTIND - 1))

# A number and nothing else, or find would do strange things.
case "$KEEP_DAYS" in
  '' | *[!0-9]*) fail "not a number of days: $KEEP_DAYS" ;;
esac

[ "$#" -gt 0 ] || fail "which folders? Try $PROGRAM -h"
mountpoint -q "$TARGET" || fail "$TARGET is not mounted"

free_kilobytes() {
  df --output=avail -k "$TARGET" | tail -n 1 | tr -d ' '
}

copy_folder() {
  local folder=$1
  local name stamp latest
  name=$(basename "$folder")
  stamp=$(date +%Y-%m-%d_%H%M%S)
  latest="$TARGET/$name/latest"

  mkdir -p "$TARGET/$name"
  say "copying $folder"
  if [ -d "$latest" ]; then
    # Files that did not change are links to the last copy.
    rsync -a --delete "${EXCLUDES[@]}" --link-dest="$latest" "$folder/" "$TARGET/$name/$stamp/"
  else
    rsync -a "${EXCLUDES[@]}" "$folder/" "$TARGET/$name/$stamp/"
  fi
  ln -sfn "$stamp" "$latest"
}

drop_old_copies() {
  local name=$1
  local old
  find "$TARGET/$name" -mindepth 1 -maxdepth 1 -type d -mtime "+$KEEP_DAYS" -print0 |
    while IFS= read -r -d '' old; do
      say "dropping ${old##*/}"
      rm -rf -- "$old"
    done
}

failed=0
for folder in "$@"; do
  if [ ! -d "$folder" ]; then
    printf '%s: no such folder: %s\n' "$PROGRAM" "$folder" >&2
    failed=$((failed + 1))
    continue
  fi
  if [ "$(free_kilobytes)" -lt 1048576 ]; then
    fail "less than a gigabyte is left on $TARGET"
  fi
  copy_folder "${folder%/}"
  drop_old_copies "$(basename "$folder")"
done

say "done, $failed failed"
exit "$((failed > 0))"
