# Functions of the gate and of the campaigns: steps with time limits, a yardstick of the machine's speed, rotation by commit.
# Sourced by .ci/run and .ci/campaign.

export CARGO_TERM_COLOR=never
target=${CARGO_TARGET_DIR:-target}

# Number of the commit, from which rotating checks take their turn. A checkout without a history uses the date.
commit=$((16#$(git rev-parse --short=7 HEAD 2>/dev/null || date +%Y%m%d)))

# Prints how many hundredths of the reference time this machine takes for a fixed load on two processors, wall time and
# processor time: `100 100` on the reference machine, on which the load takes 5 s. Limits are scaled by it, never below 100
# and not above 300.
yardstick() {
  local TIMEFORMAT='%R %U'
  spin() { local i n=0; for ((i = 0; i < 800000; i++)); do n=$(((n * 31 + i) & 65535)); done; }
  { time { spin & spin & wait; }; } 2>&1 | awk '
    function scale(hundredths) { return hundredths < 100 ? 100 : hundredths > 300 ? 300 : int(hundredths) }
    { print scale($1 * 100 / 5), scale($2 * 100 / 10) }'
}

# Runs a command with a time limit in seconds of the reference machine: step LIMIT NAME COMMAND...
# Functions have to be exported. The first step that fails, or takes longer, ends the script; `finish` prints its name.
steps=() current='' since=0
step() {
  local limit=$1
  current=$2
  shift 2
  local scaled=$((limit * wall_scale / 100)) status=0
  # At an hour the gate stops, whichever step it is at.
  if [ "$scaled" -gt $((3600 - SECONDS)) ]; then scaled=$((3600 - SECONDS)); fi
  [ "$scaled" -gt 0 ] || { echo "error: the gate takes longer than an hour; \`$current\` was not begun" >&2; exit 1; }
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
  printf '\n== time of each step, with its limit\n'
  printf '%s\n' "${steps[@]:-none}"
  printf '%5d s  total\n' "$SECONDS"
  [ -z "$current" ] || printf 'failed in: %s\n' "$current"
  exit "$status"
}

# Runs a command and fails if it spends more processor time than LIMIT seconds of the reference machine; prints wall time and
# processor time: processor_time LIMIT NAME COMMAND...
processor_time() {
  local limit=$(($1 * processor_scale / 100)) name=$2 times
  shift 2
  times=$(mktemp)
  local TIMEFORMAT='%R %U %S'
  { time "$@" 2>&3; } 3>&2 2>"$times"
  awk -v limit="$limit" -v name="$name" '{
    spent = $2 + $3
    printf "%s: %.0f s, processor time %.0f s of %d s\n", name, $1, spent, limit
    exit spent > limit
  }' "$times" || { echo "error: \`$name\` spends more processor time than its limit" >&2; return 1; }
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

export -f processor_time named_tests
