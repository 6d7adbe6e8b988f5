# SPDX-License-Identifier: GPL-3.0-or-later
# The one target that carries warnings and sanitizers; every product and test target links it privately.
add_library(rentune_flags INTERFACE)
target_compile_options(rentune_flags INTERFACE -Wall -Wextra -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual
                                               $<$<BOOL:${RENTUNE_WERROR}>:-Werror>)
if(RENTUNE_SANITIZE)
  target_compile_options(rentune_flags INTERFACE -fsanitize=${RENTUNE_SANITIZE} -fno-omit-frame-pointer)
  target_link_options(rentune_flags INTERFACE -fsanitize=${RENTUNE_SANITIZE})
endif()
