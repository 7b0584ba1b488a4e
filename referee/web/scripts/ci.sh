#!/usr/bin/env bash
# A sample of the page's tests for CI: REFEREE=path/to/referee scripts/ci.sh. Installs what it needs, builds the page anew and
# finds the same bytes, tests every screen, and plays one title to the end, another one with every commit. PORT is the first of
# three ports that are free.
set -euo pipefail
: "${REFEREE:?say which referee to test with: REFEREE=path/to/referee}"
REFEREE=$(realpath "$REFEREE")
export REFEREE
cd "$(dirname "$0")/.."
say() { printf '\n-- %s\n' "$*"; }

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

say "the referee serves those bytes"
grep -qF "$(sed -n 's/.*assets\/\(index-[^"]*\.js\).*/\1/p' dist/index.html | head -1)" "$REFEREE" ||
  { echo "the referee has another page embedded: build it again" >&2; exit 1; }

say "its pure modules"
npm test --silent

if [ -z "${CHROMIUM:-}" ] && ! command -v chromium >/dev/null && ! command -v google-chrome >/dev/null; then
  apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium >/dev/null
fi
say "every screen in a browser"
timeout 600 npm run --silent test:screens

say "a whole match"
commit=$(git rev-parse HEAD 2>/dev/null || echo 0)
plan=$((16#${commit:0:6}))
timeout 480 node --import tsx tests/browser/matches.ts --plan "$plan" --seed "$plan" --rulesets ../../rulesets/house-rules --rulesets ../../tests/rulesets --rulesets tests/browser/rulesets
