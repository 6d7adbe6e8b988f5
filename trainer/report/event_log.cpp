// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/report/event_log.h"

#include "core/wire/event.h"

#include <condition_variable>
#include <cstdio>
#include <deque>
#include <fstream>
#include <mutex>
#include <optional>
#include <span>
#include <thread>

namespace rentune::trainer {
namespace fs = std::filesystem;
namespace {

/// More than any line: where to look for the last whole one.
constexpr int64_t tailBytes = 4 * MiB;

struct Tail
{
    int64_t validBytes = 0; ///< length of the file up to the end of its last whole line
    int64_t lastSeq = -1;
    int lastAttempt = -1;
};

Result<std::string> readTail(const fs::path &file, int64_t size)
{
    const int64_t begin = std::max<int64_t>(0, size - tailBytes);
    std::string text(static_cast<size_t>(size - begin), '\0');
    std::ifstream in(file, std::ios::binary);
    in.seekg(begin);
    if (!in.read(text.data(), static_cast<std::streamsize>(text.size())))
        return Error{ErrorCode::FileRead, "cannot be read", file.string()};
    return text;
}

/// Finds the last line that is an event, from the end: a kill leaves part of a line, a power cut may leave
/// zeros.
Result<Tail> findTail(const fs::path &file)
{
    std::error_code error;
    const int64_t size = static_cast<int64_t>(fs::file_size(file, error));
    if (error || size == 0)
        return Tail{};
    RENTUNE_TRY(const std::string text, readTail(file, size));
    size_t end = text.rfind('\n');
    while (end != std::string::npos && end > 0) {
        const size_t before = text.rfind('\n', end - 1);
        const size_t begin = before == std::string::npos ? 0 : before + 1;
        const auto event = wire::decodeEvent(std::string_view(text).substr(begin, end - begin));
        if (event.ok())
            return Tail{size - static_cast<int64_t>(text.size() - end - 1), event->seq, event->attempt};
        if (event.error().code == ErrorCode::WireVersion)
            return Error{ErrorCode::WireVersion, event.error().detail, file.string()};
        end = before;
    }
    // A process killed while it wrote its very first line leaves no line at all.
    if (text.find('\n') == std::string::npos && text.front() == '{' && size < tailBytes)
        return Tail{};
    return Error{ErrorCode::WireFormat,
                 "is not an event log; choose another run folder or move the file away", file.string()};
}

Result<Tail> repair(const fs::path &file)
{
    RENTUNE_TRY(const Tail tail, findTail(file));
    std::error_code error;
    if (fs::exists(file, error) && static_cast<int64_t>(fs::file_size(file, error)) != tail.validBytes)
        fs::resize_file(file, static_cast<uintmax_t>(tail.validBytes), error);
    if (error)
        return Error{ErrorCode::DiskWrite, "the torn last line cannot be cut off: " + error.message(),
                     file.string()};
    return tail;
}

class StandardOutput : public WritableFile
{
public:
    Result<void> append(std::span<const std::byte> bytes) override
    {
        if (std::fwrite(bytes.data(), 1, bytes.size(), stdout) != bytes.size() || std::fflush(stdout) != 0)
            return Error{ErrorCode::DiskWrite, "standard output was closed"};
        return {};
    }
    Result<void> sync() override { return {}; }
    Result<void> close() override { return {}; }
};

} // namespace

struct EventLog::Impl
{
    const Clock *clock = nullptr;
    std::unique_ptr<WritableFile> file;
    std::unique_ptr<WritableFile> mirror; ///< may be null
    int attempt = 0;

    std::mutex mutex;
    std::condition_variable queued;
    std::condition_variable written;
    std::deque<std::string> queue;
    int64_t nextSeq = 0;
    int64_t writtenLines = 0; ///< lines taken through by the writer, of nextSeq − firstSeq
    int64_t firstSeq = 0;
    std::optional<Error> error;
    bool stopping = false;
    std::thread writer;

    void run()
    {
        std::unique_lock lock(mutex);
        while (true) {
            queued.wait(lock, [&] { return stopping || !queue.empty(); });
            if (queue.empty())
                return;
            const std::deque<std::string> lines = std::exchange(queue, {});
            const bool broken = error.has_value();
            lock.unlock();
            Result<void> result = broken ? Result<void>() : write(lines);
            lock.lock();
            if (!result.ok())
                error = std::move(result).error();
            writtenLines += static_cast<int64_t>(lines.size());
            written.notify_all();
        }
    }

    Result<void> write(const std::deque<std::string> &lines)
    {
        std::string text;
        for (const std::string &line : lines)
            text += line;
        const auto bytes = std::as_bytes(std::span(text));
        RENTUNE_CHECK(file->append(bytes));
        // Who reads the mirror may go away (`| head`); the run and its log do not depend on it.
        if (mirror && !mirror->append(bytes).ok())
            mirror.reset();
        return {};
    }
};

EventLog::EventLog(std::unique_ptr<Impl> impl) : m_impl(std::move(impl)) {}

Result<std::unique_ptr<EventLog>> EventLog::open(FileOps &ops, const Clock &clock, const fs::path &file,
                                                 const std::string &mirror)
{
    RENTUNE_TRY(const Tail tail, repair(file));
    auto impl = std::make_unique<Impl>();
    impl->clock = &clock;
    impl->attempt = tail.lastAttempt + 1;
    impl->firstSeq = impl->nextSeq = tail.lastSeq + 1;
    RENTUNE_TRY(impl->file, ops.openAppend(file));
    if (mirror == "-") {
        impl->mirror = std::make_unique<StandardOutput>();
    } else if (!mirror.empty()) {
        RENTUNE_TRY(impl->mirror, ops.openAppend(mirror));
    }
    Impl *shared = impl.get();
    impl->writer = std::thread([shared] { shared->run(); });
    return std::unique_ptr<EventLog>(new EventLog(std::move(impl)));
}

EventLog::~EventLog()
{
    {
        const std::lock_guard lock(m_impl->mutex);
        m_impl->stopping = true;
    }
    m_impl->queued.notify_all();
    m_impl->writer.join();
    // append() has told of any error that matters; closing adds nothing a caller could still act on.
    static_cast<void>(m_impl->file->close());
}

int EventLog::attempt() const
{
    return m_impl->attempt;
}

Result<void> EventLog::append(std::string_view type, Json fields)
{
    const std::lock_guard lock(m_impl->mutex);
    if (m_impl->error)
        return *m_impl->error;
    const wire::Event event{m_impl->nextSeq++, m_impl->clock->nowMicros(), m_impl->attempt, std::string(type),
                            std::move(fields)};
    m_impl->queue.push_back(wire::encodeEvent(event) + "\n");
    m_impl->queued.notify_one();
    return {};
}

Result<void> EventLog::flush()
{
    std::unique_lock lock(m_impl->mutex);
    const int64_t target = m_impl->nextSeq - m_impl->firstSeq;
    m_impl->written.wait(lock, [&] { return m_impl->writtenLines >= target; });
    if (m_impl->error)
        return *m_impl->error;
    lock.unlock();
    return m_impl->file->sync();
}

} // namespace rentune::trainer
