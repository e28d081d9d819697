# For scripts that are made of checks and end with `N passed, N failed`; sourced. $dir is a folder of the
# script's own.
# shellcheck shell=bash disable=SC2154

passed=0 failed=0

# check NAME COMMAND...: runs COMMAND as one check, which its first error ends, and shows what it says if
# it fails.
check() {
  local name=$1 status
  shift
  set +e  # in a condition, as before ||, bash would go on after an error
  (set -e && "$@") >"$dir/answer" 2>&1
  status=$?
  set -e
  if [ "$status" = 0 ]; then
    passed=$((passed + 1))
    echo "ok: $name"
  else
    failed=$((failed + 1))
    tail -n 40 "$dir/answer"
    echo "FAILED: $name"
  fi
}

# conclude STATUS: prints the last line. Fails if a check has failed, or if the script itself has, with
# STATUS.
conclude() {
  [ "$1" = 0 ] || [ "$failed" -gt 0 ] || failed=1
  echo "$passed passed, $failed failed"
  [ "$failed" = 0 ]
}
