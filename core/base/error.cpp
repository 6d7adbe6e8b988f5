// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/error.h"

#include <array>

namespace rentune {
namespace {

struct CodeRow
{
    std::string_view name;
    ErrorClass cls;
};

constexpr std::array codeRows = {
#define RENTUNE_ERROR(id, name, cls) CodeRow{name, ErrorClass::cls},
#include "core/base/error_codes.inc"
#undef RENTUNE_ERROR
};

struct ClassRow
{
    std::string_view name;
    int exit;
};

constexpr std::array classRows = {
    ClassRow{"usage", 2}, ClassRow{"data", 3},   ClassRow{"memory", 4},  ClassRow{"network", 5},   ClassRow{"disk", 6},
    ClassRow{"budget", 7}, ClassRow{"numeric", 8}, ClassRow{"notice", 75}, ClassRow{"internal", 70},
};

} // namespace

int exitCode(ErrorClass cls)
{
    return classRows.at(static_cast<size_t>(cls)).exit;
}

std::string_view className(ErrorClass cls)
{
    return classRows.at(static_cast<size_t>(cls)).name;
}

std::string_view codeName(ErrorCode code)
{
    return codeRows.at(static_cast<size_t>(code)).name;
}

ErrorClass codeClass(ErrorCode code)
{
    return codeRows.at(static_cast<size_t>(code)).cls;
}

std::vector<ErrorCode> allErrorCodes()
{
    std::vector<ErrorCode> codes;
    for (size_t i = 0; i < codeRows.size(); ++i)
        codes.push_back(static_cast<ErrorCode>(i));
    return codes;
}

std::string Error::toString() const
{
    if (file.empty())
        return detail;
    return line > 0 ? file + ":" + std::to_string(line) + ": " + detail : file + ": " + detail;
}

} // namespace rentune
