// SPDX-License-Identifier: GPL-3.0-or-later
// Speaks the trainer's side of the wire without training: a step every few milliseconds, a "checkpoint" each
// step. The job's name says how it behaves: "crash" ends with an error event, "mute" exits 2 before any
// event.
#include "core/base/clock.h"
#include "core/wire/event.h"
#include "core/wire/job_file.h"

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <thread>

namespace {

namespace fs = std::filesystem;
using namespace rentune;

volatile std::sig_atomic_t stopAsked = 0;

class Log
{
public:
    explicit Log(const fs::path &file)
    {
        std::ifstream old(file);
        for (std::string line; std::getline(old, line); ++m_seq) {
            const auto event = wire::decodeEvent(line);
            m_attempt = event ? event->attempt + 1 : m_attempt;
            if (event && event->type == "checkpoint")
                step = event->fields["step"];
        }
        m_out.open(file, std::ios::app);
    }

    void write(const std::string &type, Json fields)
    {
        m_out << wire::encodeEvent({m_seq++, systemClock().nowMicros(), m_attempt, type, std::move(fields)})
              << "\n"
              << std::flush;
    }

    int64_t step = 0;

private:
    std::ofstream m_out;
    int64_t m_seq = 0;
    int m_attempt = 0;
};

} // namespace

int main(int argc, char **argv)
{
    std::signal(SIGTERM, [](int) { stopAsked = 1; });
    const std::vector<std::string> arguments(argv, argv + argc);
    const auto job = wire::readJob(arguments.at(2));
    if (!job || job->name == "mute") {
        std::cerr << "refused\n";
        return 2;
    }
    Log log(fs::path(arguments.at(4)) / "events.jsonl");
    log.write("hello", {{"run", job->name}, {"wire", wire::wireVersion}});
    while (log.step < job->training.maxSteps && !stopAsked) {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        log.write("step", {{"step", ++log.step}, {"loss", 1.0 / static_cast<double>(log.step)}});
        log.write("checkpoint", {{"step", log.step}});
    }
    if (job->name == "crash")
        log.write("error", {{"code", "numeric.nonfinite"}, {"class", "numeric"}, {"detail", "loss is NaN"}});
    const int exit = stopAsked ? 75 : job->name == "crash" ? 8 : 0;
    log.write("done", {{"exit", exit}});
    return exit;
}
