// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/throughput/host.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <string>
#include <string_view>
#include <thread>

namespace rentune::throughput {
namespace {

/// Bytes that a "Key:   123 kB" line of /proc/meminfo states.
Bytes physicalMemory()
{
    std::ifstream file("/proc/meminfo");
    std::string key;
    int64_t kilobytes = 0;
    if (file >> key >> kilobytes && key == "MemTotal:")
        return kilobytes * KiB;
    return 0;
}

struct Processor
{
    double hertz = 2.5e9;
    bool avx512 = false;
    bool avx512Bf16 = false;
    bool amxBf16 = false;
};

Processor readProcessor()
{
    Processor processor;
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line) && !line.empty();) {
        const auto has = [&line](std::string_view flag) { return line.find(flag) != std::string::npos; };
        if (line.starts_with("flags")) {
            processor.avx512 = has(" avx512f");
            processor.avx512Bf16 = has(" avx512_bf16");
            processor.amxBf16 = has(" amx_bf16");
        } else if (line.starts_with("cpu MHz")) {
            double megahertz = 0;
            const size_t at = line.find_first_of("0123456789");
            if (at != std::string::npos)
                std::from_chars(line.data() + at, line.data() + line.size(), megahertz);
            if (megahertz > 100)
                processor.hertz = megahertz * 1e6;
        }
    }
    return processor;
}

} // namespace

Host thisComputer()
{
    const Processor processor = readProcessor();
    Host host;
    host.memory = physicalMemory();
    host.threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
    // Two fused multiply-add units of 16 (AVX-512) or 8 (AVX2) floats; two hardware threads share them.
    const double fp32PerCycle = (processor.avx512 ? 64 : 32) / 2.0;
    // AVX-512 BF16 doubles that; an AMX tile unit does 1024 multiply-adds a cycle (Intel optimisation
    // manual).
    const double bf16PerCycle = processor.amxBf16      ? 2048 / 2.0
                                : processor.avx512Bf16 ? 2 * fp32PerCycle
                                                       : fp32PerCycle;
    host.fp32FlopsPerThread = fp32PerCycle * processor.hertz;
    host.bf16FlopsPerThread = bf16PerCycle * processor.hertz;
    host.bf16Instructions = processor.avx512Bf16;
    return host;
}

} // namespace rentune::throughput
