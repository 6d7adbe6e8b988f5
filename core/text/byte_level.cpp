// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/byte_level.h"

#include "core/base/text.h"
#include "core/text/utf8.h"

#include <fmt/format.h>

#include <array>
#include <charconv>

namespace rentune::text {
namespace {

struct Alphabet
{
    std::array<char32_t, 256> character{};
    std::array<int, byteLevelEnd> byte{}; ///< −1 where no byte is written so
    std::array<std::string, 256> utf8;

    Alphabet()
    {
        byte.fill(-1);
        char32_t next = 0x100;
        for (int b = 0; b < 256; ++b) {
            const bool printable = (b >= 0x21 && b <= 0x7E) || (b >= 0xA1 && b <= 0xAC) || b >= 0xAE;
            const char32_t c = printable ? static_cast<char32_t>(b) : next++;
            character[b] = c;
            byte[c] = b;
            appendUtf8(utf8[b], c);
        }
    }
};

const Alphabet &alphabet()
{
    static const Alphabet instance;
    return instance;
}

} // namespace

char32_t characterOfByte(unsigned char byte)
{
    return alphabet().character[byte];
}

const std::string &utf8OfByte(unsigned char byte)
{
    return alphabet().utf8[byte];
}

std::optional<std::string> bytesOfByteLevel(std::string_view token)
{
    std::string bytes;
    for (size_t i = 0; i < token.size();) {
        const char32_t c = nextCodePoint(token, i);
        if (c >= byteLevelEnd || alphabet().byte[c] < 0)
            return std::nullopt;
        bytes += static_cast<char>(alphabet().byte[c]);
    }
    return bytes;
}

std::string byteToken(unsigned char byte)
{
    return fmt::format("<0x{:02X}>", byte);
}

std::optional<unsigned char> byteOfToken(std::string_view token)
{
    unsigned value = 0;
    if (token.size() != 6 || !token.starts_with("<0x") || token.back() != '>')
        return std::nullopt;
    const auto [end, error] = std::from_chars(token.data() + 3, token.data() + 5, value, 16);
    if (error != std::errc() || end != token.data() + 5)
        return std::nullopt;
    return static_cast<unsigned char>(value);
}

} // namespace rentune::text
