// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/ops/allocator.h"

#include <c10/core/CPUAllocator.h>
#include <c10/util/Exception.h>

#include <cstdlib>
#include <cstring>
#include <mutex>

namespace rentune::trainer {
namespace {

constexpr size_t headerBytes = 64; // keeps the data on the cache line that vector code wants

/// Lies directly before the data.
struct Header
{
    Bytes bytes;
    MemoryTerm term;
};
static_assert(sizeof(Header) <= headerBytes);

thread_local MemoryTerm currentTerm = MemoryTerm::Workspace;

/// The counters. Tensors are made by the thousand a step, not by the million: one lock is cheap and the
/// peak's terms are those of one moment.
class Ledger
{
public:
    void add(MemoryTerm term, Bytes bytes)
    {
        const std::lock_guard lock(m_mutex);
        m_use.allocated += bytes;
        m_use.terms[static_cast<size_t>(term)] += bytes;
        if (m_use.allocated > m_use.peak)
            markPeak();
    }
    void move(Header &header, MemoryTerm to)
    {
        const std::lock_guard lock(m_mutex);
        m_use.terms[static_cast<size_t>(header.term)] -= header.bytes;
        m_use.terms[static_cast<size_t>(to)] += header.bytes;
        header.term = to;
    }
    void remove(const Header &header)
    {
        const std::lock_guard lock(m_mutex);
        m_use.allocated -= header.bytes;
        m_use.terms[static_cast<size_t>(header.term)] -= header.bytes;
    }
    void resetPeak()
    {
        const std::lock_guard lock(m_mutex);
        markPeak();
    }
    MemoryUse use()
    {
        const std::lock_guard lock(m_mutex);
        return m_use;
    }

private:
    void markPeak()
    {
        m_use.peak = m_use.allocated;
        m_use.peakTerms = m_use.terms;
    }

    std::mutex m_mutex;
    MemoryUse m_use;
};

/// Never destroyed: tensors with static storage are freed after main.
Ledger &ledger()
{
    static Ledger *instance = new Ledger;
    return *instance;
}

Header &headerOf(void *data)
{
    return *reinterpret_cast<Header *>(static_cast<std::byte *>(data) - headerBytes);
}

void freeCounted(void *data)
{
    if (!data)
        return;
    ledger().remove(headerOf(data));
    std::free(&headerOf(data));
}

class CountingAllocator final : public c10::Allocator
{
public:
    c10::DataPtr allocate(size_t bytes) override
    {
        const c10::Device device(c10::DeviceType::CPU);
        if (bytes == 0)
            return {nullptr, nullptr, &freeCounted, device};
        void *block = nullptr;
        if (::posix_memalign(&block, headerBytes, bytes + headerBytes) != 0)
            C10_THROW_ERROR(OutOfMemoryError,
                            "can't allocate memory: " + std::to_string(bytes) + " more bytes were asked for");
        auto *header = new (block) Header{static_cast<Bytes>(bytes), currentTerm};
        ledger().add(header->term, header->bytes);
        void *data = static_cast<std::byte *>(block) + headerBytes;
        return {data, data, &freeCounted, device};
    }
    c10::DeleterFnPtr raw_deleter() const override { return &freeCounted; }
    void copy_data(void *destination, const void *source, std::size_t count) const override
    {
        std::memcpy(destination, source, count);
    }
};

} // namespace

std::string_view memoryTermName(MemoryTerm term)
{
    static constexpr std::array<std::string_view, memoryTermCount> names = {
        "weights",     "gradients", "optimizer",     "master",    "adapter", "quantization",
        "activations", "logits",    "communication", "workspace", "reserve", "context"};
    return names[static_cast<size_t>(term)];
}

void installCountingAllocator()
{
    static CountingAllocator allocator;
    c10::SetCPUAllocator(&allocator, 100); // above the priority of torch's own
}

TermScope::TermScope(MemoryTerm term) : m_before(currentTerm)
{
    currentTerm = term;
}

TermScope::~TermScope()
{
    currentTerm = m_before;
}

void retag(const c10::DataPtr &data, MemoryTerm term)
{
    if (data.get() && data.get_deleter() == &freeCounted)
        ledger().move(headerOf(data.get_context()), term);
}

MemoryUse memoryUse()
{
    return ledger().use();
}

void resetPeak()
{
    ledger().resetPeak();
}

} // namespace rentune::trainer
