// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/error.h"

#include <cassert>
#include <utility>
#include <variant>

namespace rentune {

/// A value or an expected failure. Functions that can fail on outside input return it and do not throw; exceptions
/// of libraries are caught where a worker or an I/O call ends and turned into an Error.
template <typename T>
class [[nodiscard]] Result
{
public:
    Result(T value) : m_state(std::in_place_index<0>, std::move(value)) {}
    Result(Error error) : m_state(std::in_place_index<1>, std::move(error)) {}

    bool ok() const { return m_state.index() == 0; }
    explicit operator bool() const { return ok(); }

    /// Precondition: ok().
    T &value() & { assert(ok()); return *std::get_if<0>(&m_state); }
    const T &value() const & { assert(ok()); return *std::get_if<0>(&m_state); }
    T &&value() && { assert(ok()); return std::move(*std::get_if<0>(&m_state)); }
    T &operator*() & { return value(); }
    const T &operator*() const & { return value(); }
    T *operator->() { return &value(); }
    const T *operator->() const { return &value(); }

    /// Precondition: !ok().
    const Error &error() const & { assert(!ok()); return *std::get_if<1>(&m_state); }
    Error &&error() && { assert(!ok()); return std::move(*std::get_if<1>(&m_state)); }

private:
    std::variant<T, Error> m_state;
};

/// Success without a value: `return {};`.
template <>
class [[nodiscard]] Result<void> : public Result<std::monostate>
{
public:
    Result() : Result<std::monostate>(std::monostate{}) {}
    Result(Error error) : Result<std::monostate>(std::move(error)) {}
};

#define RENTUNE_CONCAT_(a, b) a##b
#define RENTUNE_CONCAT(a, b) RENTUNE_CONCAT_(a, b)

/// Returns the error of a failed expression from the enclosing function: `RENTUNE_CHECK(writeAll(f));`
#define RENTUNE_CHECK(expr)                                                                                            \
    do {                                                                                                               \
        auto checkResult_ = (expr);                                                                                    \
        if (!checkResult_.ok())                                                                                        \
            return std::move(checkResult_).error();                                                                    \
    } while (false)

/// Declares a variable from a Result or returns its error: `RENTUNE_TRY(auto config, readConfig(dir));`
#define RENTUNE_TRY(declaration, expr)                                                                                 \
    auto RENTUNE_CONCAT(tryResult_, __LINE__) = (expr);                                                                \
    if (!RENTUNE_CONCAT(tryResult_, __LINE__).ok())                                                                    \
        return std::move(RENTUNE_CONCAT(tryResult_, __LINE__)).error();                                                \
    declaration = std::move(RENTUNE_CONCAT(tryResult_, __LINE__)).value()

} // namespace rentune
