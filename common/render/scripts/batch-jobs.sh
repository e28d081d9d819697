# shellcheck shell=bash
# The beginning of a batch's script, in bash: what follows is `mc_job N LINE` for each line of the
# command, then mc_end_batch. The jobs' outputs come through Flux and not through files, because each
# job may run on another pod.
mc_failed=0
declare -A mc_line_of=()
mc_after_all=1000000000 # as the number of a line

# As mc_owns in common.sh, for the folder of the outputs: this script runs without common.sh, in a job.
mc_owns_outputs() {
  local owner=
  [ ! -s "$FLUX_OUTPUT_DIR/.minicluster-lead" ] || read -r owner <"$FLUX_OUTPUT_DIR/.minicluster-lead"
  [ "$owner" = "$MINICLUSTER_LEAD" ] || [ "${owner% *}" != "${MINICLUSTER_LEAD% *}" ]
}

# mc_job N WORD...: submits line N of the command, and prints what `flux submit` prints.
mc_job() {
  local line=$1 said code id
  shift
  ! mc_owns_outputs ||
    rm -f "$FLUX_OUTPUT_DIR/job-$line.out" "$FLUX_OUTPUT_DIR/job-$line.err" # of an earlier run
  said=$(flux submit --flags=waitable --input=/dev/null "$@")
  code=$?
  [ -z "$said" ] || printf '%s\n' "$said"
  while read -r id; do
    case $id in
      '' | *[!0-9A-Za-zƒ]*) ;;
      *) mc_line_of[$id]=$line ;;
    esac
  done <<<"$said"
  return "$code"
}

# Labels each line of the standard input. The newline that is added ends a last line without one.
mc_label() {
  { cat && echo; } | LC_ALL=C sed -e '${/^$/d' -e '}' -e "s/^/$1: /"
}

# Prints the output of a job, its standard error as such, and adds both to the files of its line. A job
# of no line, which a job has submitted, is labelled with its id.
mc_print_job() {
  local line=${mc_line_of[$1]-} out=/dev/null err=/dev/null
  if [ -n "$line" ] && mc_owns_outputs; then
    out=$FLUX_OUTPUT_DIR/job-$line.out err=$FLUX_OUTPUT_DIR/job-$line.err
  fi
  flux job attach --read-only "$1" 2>/dev/null | tee -a "$out" | mc_label "${line:+job-}${line:-$1}"
  flux job attach --read-only "$1" 2>&1 >/dev/null | tee -a "$err" |
    mc_label "${line:+job-}${line:-$1}" >&2
}

# Waits for all jobs and prints their outputs in the order of the lines, those that failed last: the
# end of the log is the message of the status. Ends with the highest code of the jobs, or 1 if a line
# could not be submitted.
mc_end_batch() {
  local all=() good=() bad=() id success line ordered
  trap - ERR
  flux queue idle
  flux jobs -a
  while read -r id success; do
    all+=("$id")
    line=${mc_line_of[$id]-$mc_after_all}
    if [ "$success" = True ]; then
      good[line]="$id ${good[line]-}"
    else
      bad[line]="$id ${bad[line]-}"
    fi
  done < <(flux jobs -a -n -c 0 -o '{id} {success}')
  [ "${#all[@]}" -gt 0 ] || exit 1
  ordered="${good[*]} ${bad[*]}"
  for id in $ordered; do mc_print_job "$id"; done
  flux job status "${all[@]}" && exit "$mc_failed"
}
trap mc_failed=1 ERR
