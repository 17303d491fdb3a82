# Long work as one line per step, for other scripts to source.
#
# step NAME COMMAND...   runs COMMAND and says how long it took. Its output goes to a log in build/log/ and is
#                        shown if it fails; what it writes to file descriptor 3 is shown in any case.
# finish                 prints the table of the steps and exits: 0 only if none failed.
exec 3>&1
step_table=()
step_failed=0

step() {
  local name=$1 start=$SECONDS result=ok
  local log=build/log/${name//[^A-Za-z0-9.+-]/_}.log
  shift
  mkdir -p build/log
  : >"$log"
  printf '%s ...\n' "$name"
  if ! "$@" >>"$log" 2>&1 </dev/null; then
    result=FAILED
    step_failed=1
    cat "$log"
  fi
  printf '%s: %s, %d s\n' "$name" "$result" $((SECONDS - start))
  step_table+=("$(printf '%-28s %6s %5d s' "$name" "$result" $((SECONDS - start)))")
  [ $result = ok ]
}

finish() {
  printf '\n'
  printf '%s\n' "${step_table[@]}"
  printf '%-28s %6s %5d s\n' total "$([ $step_failed = 0 ] && echo ok || echo FAILED)" $SECONDS
  exit $step_failed
}
