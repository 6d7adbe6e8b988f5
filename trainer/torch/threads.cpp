// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/torch/threads.h"

#include "trainer/torch/torch.h"

#include <cstdlib>
#include <sched.h>
#include <sys/resource.h>

namespace rentune::trainer {

int fixThreads(int threads)
{
    // MKL reads these at its first call; OpenMP's dynamic mode is off unless the environment turns it on.
    ::setenv("MKL_DYNAMIC", "FALSE", 1);
    ::setenv("OMP_DYNAMIC", "FALSE", 1);
    if (threads <= 0) {
        cpu_set_t allowed;
        CPU_ZERO(&allowed);
        threads = ::sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? CPU_COUNT(&allowed) : 1;
    }
    at::set_num_threads(threads);
    return threads;
}

bool hasBf16Units()
{
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx512bf16") != 0; // every processor with AMX has these too
#else
    return false;
#endif
}

int64_t peakResidentBytes()
{
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss * int64_t{1024};
}

} // namespace rentune::trainer
