// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace rentune::text {

/// The alphabet of byte-level tokenizers (GPT-2): each byte is written as one printable character; bytes that
/// are printable in Latin-1 stand for themselves, the other 68 for U+0100 … U+0143 in order.
char32_t characterOfByte(unsigned char byte);
inline constexpr char32_t byteLevelEnd = 0x144; ///< every character of the alphabet is below

/// The same as UTF-8.
const std::string &utf8OfByte(unsigned char byte);

/// The bytes that `token` stands for; nullopt if a character is not of the alphabet. `token` must be UTF-8.
std::optional<std::string> bytesOfByteLevel(std::string_view token);

/// The token of a single byte in SentencePiece's vocabularies, "<0x0A>", and back.
std::string byteToken(unsigned char byte);
std::optional<unsigned char> byteOfToken(std::string_view token);

} // namespace rentune::text
