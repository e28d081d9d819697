"""Prints the hosts on which Parsl runs eight calls, each with all cores of a pod."""

import os
import subprocess

from parsl.executors.flux.executor import FluxExecutor

HERE = "{python} {manager} {protocol} {hostname} {port}"  # no Flux instance of its own

with FluxExecutor(launch_cmd=HERE) as executor:
    executor.start()
    cores = {"cores_per_task": len(os.sched_getaffinity(0))}
    calls = [executor.submit(subprocess.getoutput, cores, "sleep 1; hostname") for _ in range(8)]
    print(*sorted({call.result() for call in calls}))
