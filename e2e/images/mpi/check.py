"""As check.c, with mpi4py. Without arguments."""
from array import array

from mpi4py import MPI


def ring(world):
    rank, size = world.rank, world.size
    message = array("i", [0])
    if size == 1:
        return 0
    if rank > 0:
        world.Recv([message, MPI.INT], source=rank - 1)
    message[0] += rank
    world.Send([message, MPI.INT], dest=(rank + 1) % size)
    if rank == 0:
        world.Recv([message, MPI.INT], source=size - 1)
    return message[0]


def main():
    world = MPI.COMM_WORLD
    hosts = world.gather(MPI.Get_processor_name())
    around = ring(world)
    total = array("i", [0])
    world.Allreduce([array("i", [world.rank + 1]), MPI.INT], [total, MPI.INT])
    if world.rank == 0:
        library = MPI.Get_library_version().split("\n")[0].split(",")[0].rstrip("\0")
        lines = [f"library: {library}"]
        lines += [f"rank {rank} of {world.size} on {host}" for rank, host in enumerate(hosts)]
        print(*lines, f"ring: {around}", f"Allreduce: {total[0]}", sep="\n")


main()
