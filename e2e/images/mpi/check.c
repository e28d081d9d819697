/* Usage: check
   A ring and an Allreduce. Rank 0 prints the library, the host of each rank and both sums. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kHost = 64 };

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
  snprintf(host, sizeof host, "%.*s", kHost - 1, name);
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
  free(hosts);
  MPI_Finalize();
  return 0;
}
