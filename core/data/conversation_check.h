// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/data/row_reader.h"
#include "core/text/conversation.h"

#include <string>
#include <string_view>
#include <vector>

namespace rentune::data {

/// Nothing but blanks.
bool isBlank(std::string_view text);

/// True if a token behind the first is trained: the first is never predicted.
bool hasTrainedToken(const std::vector<text::TokenId> &labels);

/// Checks a conversation and brings it into the form that templates expect (one system message at the start,
/// tool calls with objects as arguments, nothing behind the last assistant turn). Every change and fault is
/// noticed.
void checkConversation(text::Conversation &conversation, std::vector<Notice> &notices);

/// Notices content that spells control tokens (well-known ones and `tokens`), and thinking that is never
/// closed.
void noticeControlTokens(const text::Conversation &conversation, const std::vector<std::string> &tokens,
                         std::vector<Notice> &notices);

} // namespace rentune::data
