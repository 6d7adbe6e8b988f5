// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/main/json_io.h"

#include "core/base/file_ops.h"

#include <cstdio>

namespace rentune::trainer {

Result<Json> readJsonInput()
{
    Result<std::string> text = readFile("/dev/stdin");
    if (!text.ok())
        return Error{text.error().code, text.error().detail, "<stdin>"};
    return parseJson(*text, "<stdin>");
}

Result<void> printJson(const Json &json)
{
    return printText(json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n");
}

Result<void> printText(const std::string &text)
{
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
        return Error{ErrorCode::DiskWrite, "standard output cannot be written"};
    return {};
}

} // namespace rentune::trainer
