// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json.h"
#include "core/base/result.h"
#include "core/text/span.h"

#include <memory>
#include <string>
#include <vector>

namespace rentune::text {

/// Which strings of the messages leave a mark in the output.
enum class Mark
{
    Content,  ///< every text that people or models wrote (not roles and types)
    Assistant ///< the same of assistant messages only
};

/// What a template sees.
struct TemplateInput
{
    const Json &messages;
    const Json &tools; ///< null if none
    std::string bosToken;
    std::string eosToken;
    bool addGenerationPrompt = false;
};

struct TemplateOutput
{
    std::string text;
    std::vector<Span> marked;     ///< ordered and disjoint
    std::vector<Span> generation; ///< the {% generation %} blocks, ordered
    bool hasGeneration = false;   ///< the template has such blocks
};

/// A compiled Jinja template, with the options that transformers sets (trim_blocks, lstrip_blocks). It has no
/// access to files, processes or the environment. Immutable, thread-safe.
class TemplateEngine
{
public:
    /// Errors: template.syntax with the line, template.limit (size or nesting).
    static Result<TemplateEngine> compile(const std::string &source, const std::string &file);

    /// Errors: template.raised, template.limit (steps, depth, output, time), template.syntax (a failed
    /// operation).
    Result<TemplateOutput> render(const TemplateInput &input, Mark mark) const;

private:
    struct Impl;
    explicit TemplateEngine(std::shared_ptr<const Impl> impl);
    std::shared_ptr<const Impl> m_impl;
};

} // namespace rentune::text
