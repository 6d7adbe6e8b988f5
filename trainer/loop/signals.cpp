// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/loop/signals.h"

#include <csignal>

namespace rentune::trainer {
namespace {

volatile std::sig_atomic_t stopAsked = 0;
volatile std::sig_atomic_t checkpointAsked = 0;

void onSignal(int number)
{
    if (number == SIGUSR1)
        checkpointAsked = 1;
    else
        stopAsked = 1;
}

} // namespace

SignalRequests::SignalRequests()
{
    struct sigaction action = {};
    action.sa_handler = onSignal;
    action.sa_flags = SA_RESTART;
    for (const int number : {SIGTERM, SIGINT, SIGUSR1})
        ::sigaction(number, &action, nullptr);
}

bool SignalRequests::stop()
{
    return stopAsked != 0;
}

bool SignalRequests::checkpoint()
{
    const bool asked = checkpointAsked != 0;
    checkpointAsked = 0;
    return asked;
}

} // namespace rentune::trainer
