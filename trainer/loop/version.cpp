// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/loop/version.h"

#include "core/wire/event.h"

#include <torch/version.h>

namespace rentune::trainer {

Json versions()
{
    return {{"trainer", RENTUNE_VERSION}, {"wire", wire::wireVersion}, {"torch", TORCH_VERSION}};
}

} // namespace rentune::trainer
