// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/metaspace.h"

#include "core/text/json_fields.h"

#include <fmt/format.h>

namespace rentune::text {

Result<Metaspace> Metaspace::parse(const SortedJson &json, const std::string &where)
{
    Metaspace result;
    RENTUNE_TRY(result.replacement, stringField(json, "replacement", result.replacement, where));
    RENTUNE_TRY(result.split, boolField(json, "split", true, where));
    RENTUNE_TRY(const bool prefix, boolField(json, "add_prefix_space", true, where));
    RENTUNE_TRY(const std::string scheme,
                stringField(json, "prepend_scheme", prefix ? "always" : "never", where));
    if (result.replacement.empty())
        return Error{ErrorCode::TokenizerFormat, fmt::format("{}: an empty \"replacement\"", where)};
    if (scheme != "always" && scheme != "first" && scheme != "never")
        return Error{ErrorCode::TokenizerFormat,
                     fmt::format("{}: unknown prepend_scheme \"{}\"", where, scheme)};
    result.prepend = scheme == "always"  ? Prepend::Always
                     : scheme == "first" ? Prepend::First
                                         : Prepend::Never;
    return result;
}

} // namespace rentune::text
