#!/bin/sh
# What the lead's broker runs in batch mode: `flux batch` with the flags given, then its code. The
# job's id goes to the log, as flux prints it.
mc_job=$(flux batch "$@") || exit
printf '%s\n' "$mc_job"
flux job status "$mc_job"
