// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "jinja/runtime.h"

#include <chrono>
#include <cstddef>
#include <string>

namespace rentune::text {

/// Thrown out of a running template; not a std::exception, so that the engine lets it pass unwrapped.
struct TemplateLimitExceeded
{
    std::string what;
};

/// What one rendering may use. Set up by the thread that renders, for the time of the rendering.
class TemplateBudget
{
public:
    explicit TemplateBudget(size_t outputLimit);
    ~TemplateBudget();
    TemplateBudget(const TemplateBudget &) = delete;
    TemplateBudget &operator=(const TemplateBudget &) = delete;

    static TemplateBudget &current();

    void step();                  ///< throws TemplateLimitExceeded when steps or time run out
    void checkSize(size_t bytes); ///< throws when a value is far larger than the output may be
    void enter();                 ///< of a macro's body; throws when too deep
    void leave() { --m_depth; }

private:
    size_t m_memoryLimit;
    size_t m_steps = 0;
    size_t m_depth = 0;
    std::chrono::steady_clock::time_point m_end;
};

/// Inserts the checks into a compiled template: a step at the start of each body, the depth around macro
/// bodies, the size around operations that make strings and lists longer.
void guardTemplate(jinja::program &program);

} // namespace rentune::text
