# Long work as one line per step, for other scripts to source.
#
# announce TIME CACHE CLONE   says how long all of it takes at first, and how many MB in the cache and in the clone.
# step NAME COMMAND...   runs COMMAND and says how long it took. Its output goes to a log in build/log/ and is
#                        shown if it fails; what it writes to file descriptor 3 is shown in any case.
# begin NAME COMMAND...  the same, beside the steps that follow; `await NAME` waits for it and shows how it went.
# beside NAME COMMAND... the same, as soon as fewer than two that were begun so are at work; each is shown when it is over.
# step_first=NAME        leaves out the steps that follow, up to the one of that name.
# finish                 awaits what was begun, prints the table of the steps and exits: 0 only if none failed.
#
# While a step is at work, a terminal shows its time and the last line of its log on a line that changes; elsewhere, as in a
# CI log, such a line is printed each half minute. No step outlives the script, however that ends: an interrupt stops them all.
exec 3>&1
step_table=()
step_failed=0
step_first=
step_interval=30          # seconds from one line in a log to the next
declare -A step_begun=()  # process groups, by name
declare -A step_started=()
step_beside=()            # the names of those that `beside` began
step_ticker= step_ticks=  # the process that shows how long they have been at work, and a pipe to it, whose end ends it
step_moves=0 step_green='' step_red='' step_plain=''
if [ -t 1 ] && [ "${TERM:-dumb}" != dumb ]; then
  step_moves=1
  if [ -z "${NO_COLOR:-}" ]; then step_green=$'\e[32m' step_red=$'\e[31m' step_plain=$'\e[0m'; fi
fi
mkdir -p build/log || {
  echo "$PWD cannot be written, where logs and what is built go: clone it where you may write" >&2
  exit 1
}
trap step_stop_begun EXIT
trap 'step_interrupted 129' HUP
trap 'step_interrupted 130' INT
trap 'step_interrupted 143' TERM

announce() {
  local command=${0##*/}
  printf 'make %s: about %s on two cores at first, when nothing is there yet\n' "${command//_/-}" "$1"
  step_disk "$2" "$CALLBRIDGE_CACHE" "or set CALLBRIDGE_CACHE to a folder that has more"
  step_disk "$3" "$PWD" "or clone it where there is more"
}

step() {
  local name=$1 log
  if step_is_left_out "$name"; then return; fi
  log=$(step_log "$name")
  shift
  if [ $step_moves = 0 ]; then printf '%s ...\n' "$name"; fi
  step_started[$name]=$SECONDS
  # Job control, so that it is a process group, which can be stopped as a whole.
  set -m
  if [ $step_moves = 1 ]; then
    ("$@" 3>&1 >"$log" 2>&1 </dev/null | step_show_above; exit "${PIPESTATUS[0]}") &
  else
    "$@" >"$log" 2>&1 </dev/null &
  fi
  set +m
  step_begun[$name]=$!
  step_wait "$name" "$log"
}

begin() {
  local name=$1 log
  log=$(step_log "$name")
  shift
  printf '%s, beside what follows ...\n' "$name"
  step_started[$name]=$SECONDS
  set -m
  (
    start=$SECONDS result=0
    "$@" >"$log" 2>&1 3>"$log.shown" </dev/null || result=1
    echo $((SECONDS - start)) >"$log.seconds"
    exit $result
  ) &
  set +m
  step_begun[$name]=$!
}

await() {
  step_wait "$1" "$(step_log "$1")" ", beside others"
}

beside() {
  local name at_work
  if step_is_left_out "$1"; then return; fi
  while [ ${#step_beside[@]} = 2 ]; do
    at_work=()
    for name in "${step_beside[@]}"; do
      if kill -0 "${step_begun[$name]}" 2>/dev/null; then at_work+=("$name"); else await "$name"; fi
    done
    step_beside=("${at_work[@]}")
    [ ${#at_work[@]} -lt 2 ] && break
    if [ -z "$step_ticks" ]; then
      step_tick "${at_work[0]}; ${at_work[1]}" "$(step_log "${at_work[0]}")" "${step_started[${at_work[0]}]}"
    fi
    sleep 1
  done
  step_stop_ticking
  step_beside+=("$1")
  begin "$@"
}

finish() {
  local name
  for name in "${!step_begun[@]}"; do await "$name"; done
  if [ -n "$step_first" ]; then
    printf 'no step is named "%s"\n' "$step_first"
    step_failed=1
  fi
  printf '\n'
  printf '%s\n' "${step_table[@]}"
  step_row total "$([ $step_failed = 0 ] && echo ok || echo FAILED)" $SECONDS
  exit $step_failed
}

# For the functions above.

step_is_left_out() {
  if [ "$1" = "$step_first" ]; then step_first=; fi
  [ -n "$step_first" ]
}

step_log() {
  echo "build/log/${1//[^A-Za-z0-9.+-]/_}.log"
}

# step_disk MB FOLDER ELSE: what a folder is going to hold, and whether its disk has that.
step_disk() {
  local free
  free=$(df --output=avail -B 1000000 "$2" | tail -n 1)
  printf '  up to %s in %s, whose disk has %s free\n' "$(step_gb "$1")" "$2" "$(step_gb "$free")"
  if [ "$free" -lt "$1" ]; then
    printf '  %sthat may not be enough%s: free some, %s\n' "$step_red" "$step_plain" "$3"
  fi
}

step_gb() { printf '%d.%d GB' $(($1 / 1000)) $(($1 % 1000 / 100)); }

# step_wait NAME LOG [REMARK]: waits for what was begun, and reports. Succeeds if that did.
step_wait() {
  local name=$1 log=$2 result=ok seconds
  step_stop_ticking
  step_tick "$name" "$log" "${step_started[$name]}"
  wait "${step_begun[$name]}" || result=FAILED
  step_stop_ticking
  seconds=$((SECONDS - step_started[$name]))
  unset 'step_begun[$name]' 'step_started[$name]'
  if [ -n "${3:-}" ]; then
    cat "$log.shown"
    seconds=$(cat "$log.seconds")
  fi
  step_report "$name" $result "$seconds" "${3:-}"
}

# step_tick NAME LOG START: begins to show how long NAME has been at work, and what its log says.
step_tick() {
  exec {step_ticks}> >(step_keep_ticking "$@")
  step_ticker=$!
}

# Until its standard input ends.
step_keep_ticking() {
  local line columns pause=1
  if [ $step_moves = 0 ]; then pause=$step_interval; fi
  while read -r -t "$pause" || [ $? -gt 128 ]; do
    line=$(tail -c 2000 "$2" | tr '\r' '\n' | tr -cd '[:print:]\n' | grep '[^ ]' | tail -n 1)
    line="$1: $((SECONDS - $3)) s${line:+: $line}"
    if [ $step_moves = 1 ]; then
      columns=$(stty size <&3 2>/dev/null | cut -d ' ' -f 2)
      printf '\r\e[K%.*s' $((${columns:-80} - 1)) "$line"
    else
      printf '%s\n' "$line"
    fi
  done
}

step_stop_ticking() {
  if [ -z "$step_ticks" ]; then return; fi
  exec {step_ticks}>&-
  step_ticks=
  wait "$step_ticker" 2>/dev/null
  if [ $step_moves = 1 ]; then printf '\r\e[K'; fi
}

# Prints the lines of its standard input above the line that changes.
step_show_above() {
  local line
  while IFS= read -r line; do printf '\r\e[K%s\n' "$line"; done
}

step_row() {
  local color=$step_green
  if [ "$2" != ok ]; then color=$step_red; fi
  printf '%-40s %s%6s%s %5d s%s\n' "$1" "$color" "$2" "$step_plain" "$3" "${4:-}"
}

# step_report NAME RESULT SECONDS [REMARK]: succeeds if the step did.
step_report() {
  local color=$step_green
  if [ "$2" != ok ]; then
    step_failed=1 color=$step_red
    cat "$(step_log "$1")"
    step_advise "$(step_log "$1")"
  fi
  printf '%s: %s%s%s, %d s%s\n' "$1" "$color" "$2" "$step_plain" "$3" "${4:-}"
  step_table+=("$(step_row "$@")")
  [ "$2" = ok ]
}

# What to do about a failure that has nothing to do with this project.
step_advise() {
  if grep -qE 'Temporary failure (in name resolution|resolving)|Could not resolve|Failed to establish a new connection|Network is unreachable|Connection (refused|timed out)' "$1"; then
    echo "This step downloads, and the network cannot be reached: connect, or set https_proxy and http_proxy, and run it again."
  elif grep -q 'No space left on device' "$1"; then
    echo "A disk is full: free some, or set CALLBRIDGE_CACHE and TMPDIR to folders that have more, and run it again."
  elif grep -q 'Read-only file system' "$1"; then
    echo "A folder is read-only: set CALLBRIDGE_CACHE and TMPDIR to folders that you may write, and run it again."
  else
    return
  fi
  echo "What was complete is kept, and is not done again."
}

step_interrupted() {
  local names=("${!step_begun[@]}")
  trap '' HUP INT TERM
  step_stop_ticking
  printf 'interrupted%s; what was complete is kept: the same command goes on from there\n' \
    "$(printf ', at %s' "${names[@]:-no step}")"
  exit "$1"
}

step_stop_begun() {
  local process
  step_stop_ticking
  for process in "${step_begun[@]}"; do kill -- -"$process" 2>/dev/null; done
  wait
}
