/* Usage: speed
   Prints how long a ring and an Allreduce take, in microseconds, for messages of three lengths:
   `ring 8 12.3`. Each figure is the median of several batches, by the clock of rank 0. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { kBatches = 9, kMost = 1 << 20 };

static int rank, size;
static char *sent, *received;

static void ring(int length) {
  int next = (rank + 1) % size, before = (rank + size - 1) % size;
  if (rank > 0) MPI_Recv(received, length, MPI_BYTE, before, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Send(sent, length, MPI_BYTE, next, 0, MPI_COMM_WORLD);
  if (rank == 0) MPI_Recv(received, length, MPI_BYTE, before, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void allreduce(int length) {
  MPI_Allreduce(sent, received, length / (int)sizeof(double), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static int compare(const void* a, const void* b) {
  double difference = *(const double*)a - *(const double*)b;
  return (difference > 0) - (difference < 0);
}

static void measure(const char* name, void (*step)(int), int length, int steps) {
  double batches[kBatches];
  step(length); /* connections are made by the first message */
  for (int i = 0; i < kBatches; ++i) {
    MPI_Barrier(MPI_COMM_WORLD);
    double began = MPI_Wtime();
    for (int j = 0; j < steps; ++j) step(length);
    batches[i] = (MPI_Wtime() - began) / steps * 1e6;
  }
  qsort(batches, kBatches, sizeof *batches, compare);
  if (rank == 0) printf("%s %d %.1f\n", name, length, batches[kBatches / 2]);
}

int main(int argc, char** argv) {
  const int lengths[] = {8, 1 << 16, kMost}, steps[] = {500, 100, 10};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  sent = calloc(1, kMost);
  received = calloc(1, kMost);
  for (int i = 0; i < 3; ++i) {
    measure("ring", ring, lengths[i], steps[i]);
    measure("Allreduce", allreduce, lengths[i], steps[i]);
  }
  free(sent);
  free(received);
  MPI_Finalize();
  return 0;
}
