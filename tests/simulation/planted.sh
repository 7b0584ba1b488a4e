#!/usr/bin/env bash
# Plants the mistakes of planted.patch in a referee, one after the other, and simulates: each must be found at nine of ten
# seeds at least. Arguments: the first seed and how many (1 and 10). The tree is changed meanwhile, and put back.
set -euo pipefail
cd "$(dirname "$0")/../.."
first=${1:-1} seeds=${2:-10}

git apply tests/simulation/planted.patch
trap 'git apply -R tests/simulation/planted.patch' EXIT
cargo build --release --locked -p referee-simulation
simulation=${CARGO_TARGET_DIR:-target}/release/referee-simulation

found() {
  local mistake=$1 steps=$2
  shift 2
  printf '%s: ' "$mistake"
  REFEREE_PLANTED=$mistake "$simulation" --planted --seed "$first" --seeds "$seeds" --steps "$steps" "$@" ||
    { echo "$mistake was not found"; exit 1; }
}
# Whoever is told what others see is found by comparing two worlds: half of the steps each.
found skip-a-projection 40000 --worlds
for mistake in acknowledge-before-commit cache-a-revoked-token reuse-a-request-id lose-a-wake-up fire-a-clock-twice; do
  found "$mistake" 90000
done
# Those of referees that are not alone.
for mistake in serve-from-a-cache-after-a-conflict fire-a-clock-at-two-referees skip-what-a-lost-wake-up-told; do
  found "$mistake" 90000 --league
done
