// SPDX-License-Identifier: GPL-3.0-or-later
// Stands in for ggml.h: llama.cpp's json.cpp wants only its assertion.
#pragma once
#include <cstdlib>
#define GGML_ASSERT(x) ((x) ? (void)0 : std::abort())
#define GGML_ABORT(...) std::abort()
