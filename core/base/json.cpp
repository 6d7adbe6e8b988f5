// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json.h"

#include "core/base/file_ops.h"

#include <algorithm>
#include <set>
#include <vector>

namespace rentune {
namespace {

constexpr size_t maxDepth = 256;

/// Builds the value while watching what nlohmann's own parser lets pass: depth and duplicate keys.
template <typename Value>
class StrictHandler : public nlohmann::detail::json_sax_dom_parser<Value>
{
    using Base = nlohmann::detail::json_sax_dom_parser<Value>;

public:
    explicit StrictHandler(Value &value) : Base(value, false) {}

    std::string problem;    ///< "" if the text is acceptable
    size_t errorOffset = 0; ///< byte after the last one read when the parser gave up

    bool start_object(std::size_t n)
    {
        m_keys.emplace_back();
        return checkDepth() && Base::start_object(n);
    }
    bool end_object()
    {
        m_keys.pop_back();
        --m_depth;
        return Base::end_object();
    }
    bool start_array(std::size_t n) { return checkDepth() && Base::start_array(n); }
    bool end_array()
    {
        --m_depth;
        return Base::end_array();
    }
    bool key(typename Value::string_t &name)
    {
        if (!m_keys.back().insert(name).second) {
            problem = "key \"" + name + "\" stands twice in one object";
            return false;
        }
        return Base::key(name);
    }
    bool parse_error(std::size_t position, const std::string &, const nlohmann::detail::exception &error)
    {
        errorOffset = position;
        problem = describe(error.what());
        return false;
    }

private:
    bool checkDepth()
    {
        if (++m_depth <= maxDepth)
            return true;
        problem = "more than " + std::to_string(maxDepth) + " levels deep";
        return false;
    }

    /// nlohmann's text without its own prefix up to the position.
    static std::string describe(std::string_view what)
    {
        const size_t colon = what.find(": ");
        return std::string(colon == std::string_view::npos ? what : what.substr(colon + 2));
    }

    std::vector<std::set<std::string>> m_keys;
    size_t m_depth = 0;
};

bool looksLikeTrailingComma(std::string_view text, size_t offset)
{
    size_t i = std::min(offset, text.size());
    if (i == 0 || (text[i - 1] != ']' && text[i - 1] != '}'))
        return false;
    --i;
    while (i > 0 && std::string_view(" \t\r\n").find(text[i - 1]) != std::string_view::npos)
        --i;
    return i > 0 && text[i - 1] == ',';
}

template <typename Value>
Result<Value> parseStrict(std::string_view text, const std::string &file, int64_t firstLine)
{
    if (text.starts_with("\xEF\xBB\xBF"))
        text.remove_prefix(3);
    Value root;
    StrictHandler<Value> handler(root);
    if (Value::sax_parse(text, &handler) && handler.problem.empty())
        return root;
    const std::string_view before = text.substr(0, std::min(handler.errorOffset, text.size()));
    const int64_t line = firstLine + std::count(before.begin(), before.end(), '\n');
    const size_t lineStart = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
    std::string detail = "not valid JSON";
    if (handler.errorOffset > 0)
        detail += " at column " + std::to_string(before.size() - lineStart);
    if (looksLikeTrailingComma(text, handler.errorOffset))
        detail += ": trailing comma";
    else
        detail += ": " + handler.problem;
    return Error{ErrorCode::JsonSyntax, std::move(detail), file, line};
}

} // namespace

Result<Json> parseJson(std::string_view text, const std::string &file, int64_t firstLine)
{
    return parseStrict<Json>(text, file, firstLine);
}

Result<SortedJson> parseSortedJson(std::string_view text, const std::string &file, int64_t firstLine)
{
    return parseStrict<SortedJson>(text, file, firstLine);
}

Result<Json> readJson(const std::filesystem::path &path, Bytes limit)
{
    RENTUNE_TRY(const std::string text, readFile(path, limit));
    return parseJson(text, path.string());
}

} // namespace rentune
