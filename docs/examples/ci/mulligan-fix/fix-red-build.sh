#!/usr/bin/env bash
# On a red build: let Mulligan try to fix it, and save the result as a patch. For any CI with a shell and git.
#
#   MULLIGAN_OUT      where fix.patch, report.md and run.jsonl go; a folder outside the checkout
#   MULLIGAN_GOAL     what to do; by default "make the tests pass"
#   MULLIGAN_VERIFY   the command that failed; by default, Mulligan finds how the project is tested
#
# MULLIGAN_BASE_URL, MULLIGAN_MODEL and MULLIGAN_API_KEY set the model. Commits and pushes nothing.
# Exit codes: 0 fixed, and the patch passes the command; 4 not fixed; others are those of `mulligan fix`.
set -euo pipefail

out=${MULLIGAN_OUT:?name a folder outside of the checkout}
mkdir -p "$out"

# Files that the build left behind are not part of the patch.
git add --all
before=$(git write-tree)

options=(--yes --json)
if [ -n "${MULLIGAN_VERIFY:-}" ]; then
  options+=(--verify "$MULLIGAN_VERIFY")
fi
code=0
mulligan fix "${options[@]}" "${MULLIGAN_GOAL:-make the tests pass}" > "$out/run.jsonl" || code=$?

git add --all
git diff --binary "$before" "$(git write-tree)" > "$out/fix.patch"
mulligan runs show > "$out/report.md" || true
if [ "$code" -eq 0 ] && [ ! -s "$out/fix.patch" ]; then
  echo "Nothing had to be changed: the command passes here." >&2
fi
verdict=failed
if [ "$code" -eq 0 ]; then
  verdict=verified
fi
echo "verdict=$verdict"
if [ -n "${GITHUB_OUTPUT:-}" ]; then
  echo "verdict=$verdict" >> "$GITHUB_OUTPUT"
fi
exit "$code"
