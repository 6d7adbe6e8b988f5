// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rentune {

/// What a failure means to whoever started the program; decides the exit code.
enum class ErrorClass { Usage, Data, Memory, Network, Disk, Budget, Numeric, Notice, Internal };

/// Process exit code of a class (interface contract): usage 2, data 3, memory 4, network 5, disk 6, budget 7,
/// numeric 8, notice 75. Internal errors (our own bugs) exit 70.
int exitCode(ErrorClass cls);
std::string_view className(ErrorClass cls);

/// Every failure the product can report. The dotted name is part of the interface (`rentune schema codes`);
/// the desktop translates it, so a name once released stays.
enum class ErrorCode {
#define RENTUNE_ERROR(id, name, cls) id,
#include "core/base/error_codes.inc"
#undef RENTUNE_ERROR
};

std::string_view codeName(ErrorCode code);
ErrorClass codeClass(ErrorCode code);
std::vector<ErrorCode> allErrorCodes();

/// An expected failure: what happened, where, and in `detail` one English sentence without a trailing period that
/// says what to do next where that is known. Never holds secrets.
struct Error
{
    ErrorCode code;
    std::string detail;
    std::string file{};  ///< file the failure is about, "" if none
    int64_t line = 0;  ///< 1-based line in `file`, 0 if none

    /// "file:line: detail", the form printed on stderr.
    std::string toString() const;
};

} // namespace rentune
