#!/bin/sh
# singletons.sh JOB SHELL TASKS: looks for MPI programs of a job whose tasks do not find each other: each
# then believes to be alone (a singleton), does the whole work, and ends with 0. The job shell SHELL
# of the job with the number JOB starts this beside its TASKS tasks. Certain is: a task has an MPI library
# in its memory that cannot speak what the shell offers. Writes for each such task the key
# minicluster.alone.JOB.RANK with the library; lead.sh reads them. Looks for a minute at most: a
# program loads its libraries first.
mc_job=$1
mc_shell=$2
mc_tasks=$3
mc_found=
mc_count=0

# mc_get PID NAME: prints a variable of the environment of a process, as NAME=VALUE; false if it has
# none.
mc_get() { grep -zs -- "^$2=" "/proc/$1/environ" | tr -d '\000'; }

# mc_maps_have PID PATTERN: whether a process has such a file in its memory.
mc_maps_have() { grep -qs -- "$2" "/proc/$1/maps"; }

# mc_can_connect PID LIBRARY: false only if it is certain that it cannot find the other tasks.
mc_can_connect() {
  [ -z "$(mc_get "$1" PMI_FD)" ] || mc_speaks_pmi=1
  [ -z "$(mc_get "$1" PMIX_NAMESPACE)" ] || mc_speaks_pmix=1
  case $2 in
    # Open MPI. Version 4, which has libopen-rte, speaks PMI by a component, and loads those for
    # messages (pml) after it. Version 5 and newer speak only PMIx.
    libmpi.so.[4-9][0-9]*)
      [ -n "$mc_speaks_pmix" ] || { mc_maps_have "$1" /libopen-rte &&
        { ! mc_maps_have "$1" /mca_pml_ ||
          mc_maps_have "$1" '/mca_pmix_\(flux\|s1\|s2\|cray\)\.so'; }; }
      ;;
    *) [ -n "$mc_speaks_pmi" ] || { [ -n "$mc_speaks_pmix" ] && mc_maps_have "$1" /libpmix; } ;;
  esac
}

# Writes the key of each task that is alone, once.
mc_look() {
  # shellcheck disable=SC2013 # names without spaces
  for mc_maps in $(grep -ls '/lib\(mpi\|mpich\|mpi_cxx\)\.so\.' /proc/[0-9]*/maps 2>/dev/null); do
    mc_pid=${mc_maps#/proc/}
    mc_pid=${mc_pid%/maps}
    [ "$(mc_get "$mc_pid" FLUX_KVS_NAMESPACE)" = "FLUX_KVS_NAMESPACE=job-$mc_job" ] || continue
    mc_rank=$(mc_get "$mc_pid" FLUX_TASK_RANK)
    mc_rank=${mc_rank#*=}
    case " $mc_found " in *" $mc_rank "*) continue ;; esac
    mc_library=$(grep -os 'lib\(mpi\|mpich\)\.so\.[0-9.]*[0-9]' "$mc_maps" | head -n 1)
    [ -n "$mc_rank" ] || continue
    [ -n "$mc_library" ] || continue
    mc_speaks_pmi='' mc_speaks_pmix=''
    ! mc_can_connect "$mc_pid" "$mc_library" || continue
    flux kvs put --namespace=primary "minicluster.alone.$mc_job.$mc_rank=$mc_library"
    mc_found="$mc_found $mc_rank"
    mc_count=$((mc_count + 1))
  done
}

mc_pause=0.1
mc_looks=0
while [ "$mc_looks" -lt 40 ] && [ "$mc_count" -lt "$mc_tasks" ] && [ -e "/proc/$mc_shell/maps" ]; do
  mc_look
  sleep "$mc_pause" 2>/dev/null || sleep 1
  mc_looks=$((mc_looks + 1))
  [ "$mc_looks" -lt 10 ] || mc_pause=2
done
