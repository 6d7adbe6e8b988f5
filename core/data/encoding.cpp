// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/encoding.h"

#include "core/base/text.h"

#include <fmt/format.h>
#include <iconv.h>

#include <algorithm>
#include <optional>
#include <string_view>

namespace rentune::data {
namespace {

/// `bytes` as UTF-8; nullopt if they are not of the encoding.
std::optional<std::string> converted(std::string_view bytes, const char *encoding)
{
    const iconv_t converter = iconv_open("UTF-8", encoding);
    if (converter == reinterpret_cast<iconv_t>(-1))
        return std::nullopt;
    std::string text(bytes.size() * 2 + 16, '\0'); // neither encoding needs more than 3 bytes for 2
    char *from = const_cast<char *>(bytes.data()); // iconv's signature; it does not write there
    char *to = text.data();
    size_t fromLeft = bytes.size();
    size_t toLeft = text.size();
    const size_t result = iconv(converter, &from, &fromLeft, &to, &toLeft);
    iconv_close(converter);
    if (result == static_cast<size_t>(-1) || fromLeft > 0)
        return std::nullopt;
    text.resize(text.size() - toLeft);
    return text;
}

bool isAscii(std::string_view text)
{
    return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

/// Some line is UTF-8 and more than ASCII.
bool hasUtf8Line(std::string_view text)
{
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        if (!isAscii(line) && firstInvalidUtf8(line) == std::string_view::npos)
            return true;
        text.remove_prefix(std::min(line.size() + 1, text.size()));
    }
    return false;
}

} // namespace

Result<DecodedText> decodeText(std::string bytes, const std::string &file)
{
    if (bytes.starts_with("\xEF\xBB\xBF"))
        return DecodedText{bytes.substr(3), "utf-8-bom"};
    for (const auto &[mark, name, word] :
         {std::tuple{"\xFF\xFE", "UTF-16LE", "utf-16le"}, std::tuple{"\xFE\xFF", "UTF-16BE", "utf-16be"}}) {
        if (!bytes.starts_with(mark))
            continue;
        if (auto text = converted(std::string_view(bytes).substr(2), name))
            return DecodedText{*std::move(text), word};
        return Error{
            ErrorCode::DataFormat,
            fmt::format("begins with the mark of {} and holds bytes that are not; save it as UTF-8", name),
            file};
    }
    if (firstInvalidUtf8(bytes) != std::string_view::npos && !hasUtf8Line(bytes)) {
        if (auto text = converted(bytes, "GB18030"))
            return DecodedText{*std::move(text), "gb18030"};
    }
    return DecodedText{std::move(bytes), "utf-8"};
}

} // namespace rentune::data
