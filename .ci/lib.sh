# Functions of the gate and of the campaigns: steps with time limits, a yardstick of the machine's speed, rotation by commit.
# Sourced by .ci/run and .ci/campaign.

set -a
. .ci/limits
set +a
export CARGO_TERM_COLOR=never
target=${CARGO_TARGET_DIR:-target}

# Number of the commit, from which rotating checks take their turn. A checkout without a history uses the date.
commit=$((16#$(git rev-parse --short=7 HEAD 2>/dev/null || date +%Y%m%d)))

# Prints how many hundredths of the reference time this machine takes to compile a fixed text twice at once, in wall time and in
# processor time: `100 100` on the reference machine, which takes 5 s. Limits are scaled by it, never below 100 and not above 400.
yardstick() {
  local folder TIMEFORMAT='%R %U %S'
  folder=$(mktemp -d)
  awk 'BEGIN {
    for (i = 0; i < 150; i++) {
      printf "#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]\n"
      printf "pub struct S%d { pub a: u64, pub b: String, pub c: Vec<u32>, pub d: Option<Box<S%d>> }\n", i, i
      printf "pub fn f%d(all: &[S%d]) -> Vec<String> {\n", i, i
      printf "    let mut some: Vec<S%d> = all.iter().filter(|s| s.a > %d).cloned().collect();\n", i, i
      printf "    some.sort();\n    some.iter().map(|s| format!(\"{s:?}\")).collect()\n}\n"
    }
  }' >"$folder/text.rs"
  compile() { rustc --edition 2024 --crate-type lib -o "$folder/$1.rlib" "$folder/text.rs"; }
  { time { compile a & compile b & wait; }; } 2>&1 | awk '
    function scale(hundredths) { return hundredths < 100 ? 100 : hundredths > 400 ? 400 : int(hundredths) }
    { print scale($1 * 100 / 5), scale(($2 + $3) * 100 / 9.5) }'
  rm -rf "$folder"
}

# Runs a command with a time limit in seconds of the reference machine: step LIMIT NAME COMMAND...
# Functions have to be exported. The first step that fails, or takes longer, ends the script; `finish` prints its name.
steps=() current='' since=0
step() {
  local limit=$1
  current=$2
  shift 2
  local scaled=$((limit * wall_scale / 100)) status=0
  # The gate stops at its last limit, and at 80 minutes on any machine, whichever step it is at.
  local left=$((gate_stop * wall_scale / 100))
  left=$(((left < 4800 ? left : 4800) - SECONDS))
  if [ "$scaled" -gt "$left" ]; then scaled=$left; fi
  [ "$scaled" -gt 0 ] || { echo "error: the gate took too long; \`$current\` was not begun" >&2; exit 1; }
  since=$SECONDS
  printf '\n== %s (at %d s, limit %d s)\n' "$current" "$SECONDS" "$scaled"
  timeout --kill-after=10 "$scaled" bash -c 'set -euo pipefail; "$@"' step "$@" || status=$?
  steps+=("$(printf '%5d s of %4d s  %s' $((SECONDS - since)) "$scaled" "$current")")
  case $status in
    0) current='' ;;
    124 | 137) echo "error: \`$current\` took longer than its limit of $scaled s" >&2; exit 1 ;;
    *) exit "$status" ;;
  esac
}

# Prints how long each step took; for `trap finish EXIT`.
finish() {
  local status=$?
  if [ -s "$REFEREE_CLOSING" ]; then printf '\n== tests\n'; cat "$REFEREE_CLOSING"; fi
  rm -f "$REFEREE_CLOSING"
  printf '\n== time of each step, with its limit\n'
  printf '%s\n' "${steps[@]:-none}"
  printf '%5d s  total\n' "$SECONDS"
  [ -z "$current" ] || printf 'failed in: %s\n' "$current"
  exit "$status"
}

# Runs a command and fails if it and those before it that were run so spend more processor time than LIMIT seconds of the
# reference machine and a quarter, since the yardstick itself errs; prints wall time and processor time: processor_time LIMIT NAME
# COMMAND... The file that `spent` names keeps the sum.
spent=$(mktemp)
processor_time() {
  local limit=$(($1 * processor_scale * 125 / 10000)) name=$2 times
  shift 2
  times=$(mktemp)
  local TIMEFORMAT='%R %U %S'
  { time "$@" 2>&3; } 3>&2 2>"$times"
  awk '{ print $2 + $3 }' "$times" >>"$spent"
  awk -v limit="$limit" -v name="$name" -v wall="$(cut -d" " -f1 "$times")" '{ spent += $1 }
    END {
      printf "%s: %.0f s, processor time so far %.0f s of %d s\n", name, wall, spent, limit
      exit spent > limit
    }' "$spent" || { echo "error: \`$name\` spends more processor time than its limit" >&2; return 1; }
}

# Runs tests that are chosen by name and fails if fewer than COUNT ran: named_tests COUNT cargo test ...
named_tests() {
  local count=$1 output ran
  shift
  output=$(mktemp)
  "$@" | tee "$output"
  ran=$(awk '/^test result:/ { ran += $4 + $6 } END { print ran + 0 }' "$output")
  rm -f "$output"
  [ "$ran" -ge "$count" ] || { echo "error: $ran tests ran, expected at least $count: $*" >&2; return 1; }
}

# Returns whether one of the paths has changed since the newest landed commit, or that commit is unknown. `.ci/landed` names
# it; an older one only makes the gate check more.
landed=$(cat .ci/landed 2>/dev/null || true)
git rev-parse --quiet --verify "$landed^{commit}" >/dev/null 2>&1 || landed=
changed() {
  [ -z "$landed" ] || ! git diff --quiet "$landed" -- "$@"
}

export spent
export -f processor_time named_tests
