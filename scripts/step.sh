# Long work as one line per step, for other scripts to source.
#
# step NAME COMMAND...   runs COMMAND and says how long it took. Its output goes to a log in build/log/ and is
#                        shown if it fails; what it writes to file descriptor 3 is shown in any case.
# begin NAME COMMAND...  the same, beside the steps that follow; `await NAME` waits for it and shows how it went.
# beside NAME COMMAND... the same, as soon as fewer than two that were begun so are at work; each is shown when it is over.
# step_first=NAME        leaves out the steps that follow, up to the one of that name.
# finish                 awaits what was begun, prints the table of the steps and exits: 0 only if none failed.
#
# What was begun does not outlive the script, however that ends.
exec 3>&1
step_table=()
step_failed=0
step_first=
declare -A step_begun=()  # process groups, by name
step_beside=()            # the names of those that `beside` began
trap step_stop_begun EXIT

step() {
  local name=$1 log start=$SECONDS result=ok
  if step_is_left_out "$name"; then return; fi
  log=$(step_log "$name")
  shift
  printf '%s ...\n' "$name"
  "$@" >"$log" 2>&1 </dev/null || result=FAILED
  step_report "$name" $result $((SECONDS - start))
}

begin() {
  local name=$1 log
  log=$(step_log "$name")
  shift
  printf '%s, beside what follows ...\n' "$name"
  # Job control, so that it is a process group, which can be stopped as a whole.
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
  local name=$1 log result=ok
  log=$(step_log "$name")
  wait "${step_begun[$name]}" || result=FAILED
  unset "step_begun[$name]"
  cat "$log.shown"
  step_report "$name" $result "$(cat "$log.seconds")" ", beside others"
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
    [ ${#at_work[@]} -lt 2 ] || sleep 1
  done
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
  printf '%-40s %6s %5d s\n' total "$([ $step_failed = 0 ] && echo ok || echo FAILED)" $SECONDS
  exit $step_failed
}

# For the functions above.

step_is_left_out() {
  if [ "$1" = "$step_first" ]; then step_first=; fi
  [ -n "$step_first" ]
}

step_log() {
  mkdir -p build/log
  echo "build/log/${1//[^A-Za-z0-9.+-]/_}.log"
}

# step_report NAME RESULT SECONDS [REMARK]: succeeds if the step did.
step_report() {
  if [ "$2" != ok ]; then
    step_failed=1
    cat "$(step_log "$1")"
  fi
  printf '%s: %s, %d s%s\n' "$1" "$2" "$3" "${4:-}"
  step_table+=("$(printf '%-40s %6s %5d s%s' "$1" "$2" "$3" "${4:-}")")
  [ "$2" = ok ]
}

step_stop_begun() {
  local process
  for process in "${step_begun[@]}"; do kill -- -"$process" 2>/dev/null; done
}
