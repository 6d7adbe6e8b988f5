// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/error.h"
#include "core/plan/plan.h"

#include <QString>

namespace rentune::app {

/// Words for the codes that core and the trainer speak in, in the current language.

QString termText(plan::Term term);
QString phaseText(const std::string &phase);
QString priceClassText(const std::string &priceClass);
QString strategyText(wire::Strategy strategy);

/// What broke and by how much: "Does not fit: 31.0 GiB on each card, 7.0 GiB too many".
QString reasonText(const plan::Reason &reason, const plan::Plan &plan);

/// What to change, written so that it can stand on a row: "Micro batch 1".
QString relaxText(const plan::Relax &relax);

/// One sentence for a failure: the place, then what is wrong in words, then the detail.
QString errorText(const Error &error);

/// The same for a failure that a run reported by its code.
QString failureText(const std::string &code, const QString &detail);

/// A damaged store was moved to `file` and a new one begun.
QString storeMovedText(const std::string &file);

/// A state of a run ("running", "done", …) as a short word.
QString stateText(const QString &state);

/// The kind of an event as the log names it.
QString eventText(const QString &type);

} // namespace rentune::app
