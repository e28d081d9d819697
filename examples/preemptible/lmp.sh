#!/bin/sh
# lmp.sh STEPS: each task runs this. The signal would kill LAMMPS, which does not know it.
[ "$FLUX_TASK_RANK" != 0 ] || : >told.lj
trap '[ "$FLUX_TASK_RANK" != 0 ] || { cp /input/save.lj told.new && mv told.new told.lj; }' USR1
(trap '' USR1 && exec lmp -log none -in /input/in.lj -var steps "$1") &
wait $!
code=$?
if kill -0 $! 2>/dev/null; then # the signal has interrupted `wait`
  wait $!
  code=$?
fi
if [ "$FLUX_TASK_RANK" = 0 ] && [ "$code" = 0 ]; then mv restart.new restart; fi
exit "$code"
