# For scripts that start programs and wait for them; sourced.
# shellcheck shell=bash

# A loopback port that nobody listens on, below the range that the kernel hands to clients. Another
# program may still take it before ours does.
free_port() {
  local port
  for _ in $(seq 100); do
    port=$((20000 + RANDOM % 12000))
    (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null || {
      echo "$port"
      return
    }
  done
  echo "no free loopback port found" >&2
  return 1
}

# until_true TENTHS COMMAND...: polls ten times a second until TENTHS tenths of a second have gone
# by; fails when the command never succeeds.
until_true() {
  local end=$(($(date +%s%N) / 100000000 + $1))
  shift
  while ! "$@"; do
    [ $(($(date +%s%N) / 100000000)) -lt "$end" ] || return 1
    sleep 0.1
  done
}
