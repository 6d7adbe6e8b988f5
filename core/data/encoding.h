// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"

#include <string>

namespace rentune::data {

/// A file's text as UTF-8 and what it was before: "utf-8", "utf-8-bom", "utf-16le", "utf-16be", "gb18030".
/// Text that claims to be UTF-8 may hold broken rows; the row reader names them.
struct DecodedText
{
    std::string text;
    std::string encoding;
};

/// UTF-16 is known by its byte-order mark; GB18030 (with GBK and GB2312 inside it) is assumed where the bytes
/// are such text and no line with other than ASCII is UTF-8. Errors: data.format (UTF-16 that breaks off).
Result<DecodedText> decodeText(std::string bytes, const std::string &file);

} // namespace rentune::data
