#!/usr/bin/env bash
# A sample of the page's tests for CI: REFEREE=path/to/referee scripts/ci.sh. Installs what it needs, builds the page anew and
# finds the same bytes, tests a sixth of the screens and what is hidden in one title, and plays another title for as long as is left of
# six minutes: others with every commit. PORT is the first of three ports that are free.
set -euo pipefail
: "${REFEREE:?say which referee to test with: REFEREE=path/to/referee}"
REFEREE=$(realpath "$REFEREE")
export REFEREE
cd "$(dirname "$0")/.."
SECONDS=0
say() { printf '\n-- %s (after %s s)\n' "$*" "$SECONDS"; }

say "the page is built from its sources, and is what stands in the tree"
if [ ! -d ../../proto/clients/typescript/dist ]; then
  (cd ../../proto/clients/typescript && npm ci --silent --no-audit --no-fund && npm run --silent build)
fi
npm ci --silent --no-audit --no-fund
npm run --silent check
before=$(mktemp -d)
trap 'rm -rf "$before"' EXIT
cp -r dist "$before/dist"
npm run --silent build
diff -r "$before/dist" dist || { echo "dist is not what the sources build: run \`npm run build\` here and commit dist" >&2; exit 1; }

say "what it loads first is small"
node scripts/size.mjs

say "its pure modules"
npm test --silent

if [ -z "${CHROMIUM:-}" ] && ! command -v chromium >/dev/null && ! command -v google-chrome >/dev/null; then
  apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium >/dev/null
fi
commit=$(git rev-parse HEAD 2>/dev/null || echo 0)
at=$((16#${commit:0:6}))
export SHARE=$((at % 6 + 1))/6
say "screens in a browser, $SHARE of them"
timeout 300 npm run --silent test:screens

say "what is hidden leaves no trace, in a few moves of one title"
titles=(san-juan catan-rivals)
MOVES=5 TITLE=${titles[$((at % 2))]} timeout 180 npm run --silent test:secrets

# What goes wrong in a match mostly does so early; the campaign plays all of them to their ends.
left=$((340 - SECONDS))
say "a match, for at most $((left > 30 ? left : 30)) s"
timeout 420 node --import tsx tests/browser/matches.ts --plan "$at" --seed "$at" --within "$((left > 30 ? left : 30))" --rulesets ../../rulesets/house-rules --rulesets ../../tests/rulesets --rulesets tests/browser/rulesets
say "the page is done"
