#!/usr/bin/env bash
# Stands before `go` on the search path. For `go test` it builds each package's tests once, with coverage, and runs them
# one by one; everything else is left to the real program.
folder=$(cd "$(dirname "$0")" && pwd)
PATH=${PATH#"$folder":}
[ "$1" = test ] || exec go "$@"
shift

# The packages are one list: what follows a flag after them is for the test program.
packages=() build=() listed=
while [ $# -gt 0 ]; do
  flag=${1%%=*} kept=("$1")
  case $1 in -*) [ ${#packages[@]} -eq 0 ] || listed=yes ;; esac
  case ${flag/#--/-} in
    -args) break ;;
    -a | -asan | -linkshared | -modcacherw | -msan | -race | -trimpath) build+=("$1") ;;
    -C | -asmflags | -compiler | -gccgoflags | -gcflags | -installsuffix | -ldflags | -mod | -modfile | -overlay | \
      -pgo | -pkgdir | -tags | -toolexec)
      [ "$1" = "$flag" ] && shift && kept+=("$1")
      build+=("${kept[@]}")
      ;;
    -bench | -benchtime | -blockprofile | -blockprofilerate | -count | -covermode | -coverpkg | -coverprofile | -cpu | \
      -cpuprofile | -exec | -fuzz | -fuzzminimizetime | -fuzztime | -list | -memprofile | -memprofilerate | \
      -mutexprofile | -mutexprofilefraction | -o | -outputdir | -p | -parallel | -run | -shuffle | -skip | -timeout | \
      -trace | -vet)
      [ "$1" != "$flag" ] || shift
      ;;
    -* | *.go) ;;
    *) [ "$listed" ] || packages+=("$1") ;;
  esac
  shift
done
[ ${#packages[@]} -gt 0 ] || packages=(.)
wanted() { grep -o "\"$1\": *[0-9]*" "$folder/wanted.json" | grep -o '[0-9]*$'; }
left=$(wanted most)
until=$((SECONDS + $(wanted seconds)))
[ "$left" -lt 60 ] || left=60

# Records of one test: its name, whether it passed, and the lines that the profile has as run.
record() {
  awk -v test="$1" -v passed="$2" '
    NR > 1 && $NF > 0 {
      split($1, part, ":"); split(part[2], span, ","); split(span[1], from, "."); split(span[2], to, ".")
      for (line = from[1]; line <= to[1]; line++) if (!((part[1], line) in seen)) {
        seen[part[1], line] = 1
        lines[part[1]] = lines[part[1]] (lines[part[1]] == "" ? "" : ",") line
      }
    }
    END {
      printf "{\"test\": \"%s\", \"passed\": %s, \"lines\": {", test, passed
      for (path in lines) printf "%s\"%s\": [%s]", between, path, lines[path], between = ", "
      print "}}"
    }' "$3"
}

# Whether this test of the package failed, or a subtest of it. The runner may not have named the package.
is_failing() {
  grep -qF -e "\"$package.$1\"" -e "\"$package.$1/" -e "\"$1\"" -e "\"$1/" "$folder/wanted.json"
}

watch_test() {
  local passed=false skips
  skips=$(
    cd "$dir" || exit
    "$folder/tests.bin" -test.v -test.run "^$1\$" -test.coverprofile="$folder/profile" -test.timeout=10s 2>/dev/null |
      grep -acF -e "--- SKIP: $1 ("
    exit "${PIPESTATUS[0]}"
  ) && passed=true
  [ "$skips" = 0 ] && [ -s "$folder/profile" ] && record "$package.$1" $passed "$folder/profile" >>"$folder/go.jsonl"
  rm -f "$folder/profile"
}

go list "${build[@]}" -f '{{.ImportPath}} {{.Dir}}' "${packages[@]}" 2>/dev/null | while read -r package dir; do
  go test "${build[@]}" -c -cover -coverpkg="$(IFS=,; echo "${packages[*]}")" -o "$folder/tests.bin" "$package" \
    >/dev/null 2>&1 || continue
  [ -x "$folder/tests.bin" ] || continue
  names=$(cd "$dir" && "$folder/tests.bin" -test.list '^Test' 2>/dev/null | grep '^Test')
  failing=$(for name in $names; do is_failing "$name" && echo "$name"; done)
  for name in $failing $(grep -vxF "${failing:-/}" <<<"$names"); do
    [ $SECONDS -lt $until ] && [ "$left" -gt 0 ] || break
    left=$((left - 1))
    watch_test "$name"
  done
  rm -f "$folder/tests.bin"
done
