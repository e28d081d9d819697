/* Usage: check [--times]
   A ring and an Allreduce. Rank 0 prints the library, the host of each rank and both sums; with
   --times also how long a hop and an Allreduce take. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kHost = 64, kTimes = 200, kWarmUp = 20 };

static int rank, size;

/* The number that each rank adds to itself on its way around. */
static void ring(char* message, int length) {
  int next = (rank + 1) % size, before = (rank + size - 1) % size, sum;
  if (size == 1) return;
  if (rank > 0) MPI_Recv(message, length, MPI_BYTE, before, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  memcpy(&sum, message, sizeof sum);
  sum += rank;
  memcpy(message, &sum, sizeof sum);
  MPI_Send(message, length, MPI_BYTE, next, 0, MPI_COMM_WORLD);
  if (rank == 0) MPI_Recv(message, length, MPI_BYTE, before, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static int ascending(const void* one, const void* other) {
  double difference = *(const double*)one - *(const double*)other;
  return (difference > 0) - (difference < 0);
}

static void times(int length) {
  static double took[kTimes];
  char* message = calloc(1, length);
  double* numbers = calloc(length / sizeof(double), sizeof(double));
  double* sums = calloc(length / sizeof(double), sizeof(double));
  double hop;
  for (int i = -kWarmUp; i < kTimes; ++i) {
    MPI_Barrier(MPI_COMM_WORLD);
    double began = MPI_Wtime();
    ring(message, length);
    if (i >= 0) took[i] = MPI_Wtime() - began;
  }
  qsort(took, kTimes, sizeof took[0], ascending);
  hop = took[kTimes / 2] / size;
  for (int i = -kWarmUp; i < kTimes; ++i) {
    MPI_Barrier(MPI_COMM_WORLD);
    double began = MPI_Wtime();
    MPI_Allreduce(numbers, sums, length / sizeof(double), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (i >= 0) took[i] = MPI_Wtime() - began;
  }
  qsort(took, kTimes, sizeof took[0], ascending);
  if (rank == 0)
    printf("times: %d bytes, hop %.2f us, Allreduce %.2f us\n", length, hop * 1e6,
           took[kTimes / 2] * 1e6);
  free(message);
  free(numbers);
  free(sums);
}

int main(int argc, char** argv) {
  char library[MPI_MAX_LIBRARY_VERSION_STRING], host[kHost] = {0};
  char name[MPI_MAX_PROCESSOR_NAME];
  int length, one, sum;
  char message[sizeof(int)] = {0};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Get_library_version(library, &length);
  library[strcspn(library, ",\n")] = '\0';
  MPI_Get_processor_name(name, &length);
  snprintf(host, sizeof host, "%s", name);
  char* hosts = calloc(size, kHost);
  MPI_Gather(host, kHost, MPI_CHAR, hosts, kHost, MPI_CHAR, 0, MPI_COMM_WORLD);
  ring(message, sizeof message);
  one = rank + 1;
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) {
    int around;
    memcpy(&around, message, sizeof around);
    printf("library: %s\n", library);
    for (int i = 0; i < size; ++i) printf("rank %d of %d on %s\n", i, size, hosts + i * kHost);
    printf("ring: %d\nAllreduce: %d\n", around, sum);
  }
  if (argc > 1 && !strcmp(argv[1], "--times")) {
    times(8);
    times(65536);
  }
  free(hosts);
  MPI_Finalize();
  return 0;
}
