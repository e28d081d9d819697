/* Adds 1 + 2 + ... + N, one number from each of the N ranks. Rank 0 prints the sum. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  int rank, ranks, sum;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int number = rank + 1;
  MPI_Allreduce(&number, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("%d ranks: the sum of 1 to %d is %d\n", ranks, ranks, sum);
  MPI_Finalize();
  return sum == ranks * (ranks + 1) / 2 ? 0 : 1;
}
