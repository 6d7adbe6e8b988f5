// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/ops/allocator.h"

#include <c10/core/CPUAllocator.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <thread>
#include <vector>

namespace rentune::trainer {
namespace {

Bytes of(const TermBytes &terms, MemoryTerm term)
{
    return terms[static_cast<size_t>(term)];
}

class AllocatorTest : public testing::Test
{
protected:
    static void SetUpTestSuite() { installCountingAllocator(); }
    void SetUp() override { resetPeak(); }
    static c10::DataPtr take(size_t bytes) { return c10::GetCPUAllocator()->allocate(bytes); }
};

TEST_F(AllocatorTest, CountsByScope)
{
    const MemoryUse before = memoryUse();
    {
        const TermScope weights(MemoryTerm::Weights);
        const c10::DataPtr a = take(1000);
        c10::DataPtr b;
        {
            const TermScope logits(MemoryTerm::Logits);
            b = take(500);
        }
        const c10::DataPtr c = take(24);
        EXPECT_EQ(reinterpret_cast<uintptr_t>(a.get()) % 64, 0u);
        const MemoryUse use = memoryUse();
        EXPECT_EQ(use.allocated - before.allocated, 1524);
        EXPECT_EQ(of(use.terms, MemoryTerm::Weights), 1024);
        EXPECT_EQ(of(use.terms, MemoryTerm::Logits), 500);
    }
    EXPECT_EQ(memoryUse().allocated, before.allocated);
    EXPECT_EQ(memoryUse().terms, before.terms);
    EXPECT_EQ(memoryUse().peak, before.allocated + 1524);
}

TEST_F(AllocatorTest, PeakTermsAreOfOneMoment)
{
    const TermScope activations(MemoryTerm::Activations);
    {
        const c10::DataPtr high = take(10000);
    }
    const TermScope gradients(MemoryTerm::Gradients);
    const c10::DataPtr low = take(6000);
    const MemoryUse use = memoryUse();
    EXPECT_EQ(of(use.peakTerms, MemoryTerm::Activations), 10000);
    EXPECT_EQ(of(use.peakTerms, MemoryTerm::Gradients), 0);
    EXPECT_EQ(std::accumulate(use.peakTerms.begin(), use.peakTerms.end(), Bytes{0}), use.peak);
    resetPeak();
    EXPECT_EQ(memoryUse().peak, memoryUse().allocated);
}

TEST_F(AllocatorTest, RetagMovesBytesAndLeavesForeignMemoryAlone)
{
    const c10::DataPtr data = take(4096);
    const Bytes gradients = of(memoryUse().terms, MemoryTerm::Gradients);
    retag(data, MemoryTerm::Gradients);
    EXPECT_EQ(of(memoryUse().terms, MemoryTerm::Gradients), gradients + 4096);
    const MemoryUse before = memoryUse();
    std::vector<char> own(100);
    retag(c10::DataPtr(own.data(), c10::Device(c10::DeviceType::CPU)), MemoryTerm::Gradients);
    retag(take(0), MemoryTerm::Gradients);
    EXPECT_EQ(memoryUse().terms, before.terms);
}

TEST_F(AllocatorTest, RawAllocationsAreFreedThroughTheSameLedger)
{
    const Bytes before = memoryUse().allocated;
    c10::Allocator *allocator = c10::GetCPUAllocator();
    void *data = allocator->raw_allocate(333);
    EXPECT_EQ(memoryUse().allocated, before + 333);
    allocator->raw_deallocate(data);
    EXPECT_EQ(memoryUse().allocated, before);
}

TEST_F(AllocatorTest, ThreadsAddUp)
{
    const Bytes before = memoryUse().allocated;
    {
        std::vector<std::jthread> threads;
        for (int t = 0; t < 4; ++t)
            threads.emplace_back([] {
                std::vector<c10::DataPtr> kept;
                for (size_t i = 0; i < 2000; ++i) {
                    kept.push_back(take(i % 100));
                    if (i % 3 == 0)
                        kept.clear();
                }
            });
    }
    EXPECT_EQ(memoryUse().allocated, before);
}

TEST_F(AllocatorTest, TermsAreNamedAsInThePlan)
{
    EXPECT_EQ(memoryTermName(MemoryTerm::Weights), "weights");
    EXPECT_EQ(memoryTermName(MemoryTerm::Workspace), "workspace");
    EXPECT_EQ(memoryTermName(MemoryTerm::Context), "context");
}

} // namespace
} // namespace rentune::trainer
