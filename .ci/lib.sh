# Functions of the gate and of the campaigns: steps with time limits, yardsticks of the machine's speed, rotation by commit.
# Sourced by .ci/run and .ci/campaign.

set -a
. .ci/limits
set +a
export CARGO_TERM_COLOR=never
target=${CARGO_TARGET_DIR:-target}

# Number of the commit, from which rotating checks take their turn. A checkout without a history uses the date.
commit=$((16#$(git rev-parse --short=7 HEAD 2>/dev/null || date +%Y%m%d)))

# Compiles a text of COUNT types and functions, which is always the same: compile_text COUNT
compile_text() {
  local folder
  folder=$(mktemp -d)
  awk -v count="$1" 'BEGIN {
    for (i = 0; i < count; i++) {
      printf "#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]\n"
      printf "pub struct S%d { pub a: u64, pub b: String, pub c: Vec<u32>, pub d: Option<Box<S%d>> }\n", i, i
      printf "pub fn f%d(all: &[S%d]) -> Vec<String> {\n", i, i
      printf "    let mut some: Vec<S%d> = all.iter().filter(|s| s.a > %d).cloned().collect();\n", i, i
      printf "    some.sort();\n    some.iter().map(|s| format!(\"{s:?}\")).collect()\n}\n"
    }
  }' >"$folder/text.rs"
  rustc --edition 2024 --crate-type lib -o "$folder/text.rlib" "$folder/text.rs"
  rm -rf "$folder"
}

# Prints the mean of its input as a scale of limits, a whole number of hundredths: never below 100 and not above 400.
scale() { awk '{ sum += $1 } END { mean = sum / (NR + !NR); print (mean < 100 ? 100 : mean > 400 ? 400 : int(mean)) }'; }

# Prints how many hundredths of the reference time this machine takes to compile two texts at once, in wall time: 100 on the
# reference machine, which takes 5 s.
yardstick() {
  local TIMEFORMAT='%R'
  { time { compile_text 150 & compile_text 150 & wait; }; } 2>&1 | awk '{ print $1 * 100 / 5 }' | scale
}

# Prints every fifteen seconds, until it is killed, how many hundredths of the reference processor time this machine takes to
# compile a text beside two other processes: 100 on the reference machine, which takes 0.57 s.
paces() {
  local TIMEFORMAT='%U %S'
  while true; do
    { time compile_text 15; } 2>&1 | awk '{ print ($1 + $2) * 100 / 0.57 }'
    sleep 15
  done
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
# reference machine and a quarter, since the scale itself errs; prints wall time and processor time: processor_time LIMIT NAME
# COMMAND... How fast a machine is varies within minutes, so the limit is scaled by the mean of what is measured beside the
# command. The files that `spent` and `measured` name keep the sum and the measurements.
spent=$(mktemp) measured=$(mktemp)
processor_time() {
  local limit=$1 name=$2 pace status=0 times
  shift 2
  times=$(mktemp)
  paces >>"$measured" &
  pace=$!
  local TIMEFORMAT='%R %U %S'
  { time "$@" 2>&3; } 3>&2 2>"$times" || status=$?
  kill "$pace"
  [ "$status" = 0 ] || return "$status"
  awk '{ print $2 + $3 }' "$times" >>"$spent"
  awk -v limit="$limit" -v scale="$(scale <"$measured")" -v name="$name" -v wall="$(cut -d" " -f1 "$times")" '
    { spent += $1 }
    END {
      limit *= scale * 1.25 / 100
      printf "%s: %.0f s, processor time so far %.0f s of %.0f s (scaled by %d %%)\n", name, wall, spent, limit, scale
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

export spent measured
export -f compile_text paces scale processor_time named_tests
