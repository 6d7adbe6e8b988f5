# SPDX-License-Identifier: GPL-3.0-or-later
# Torch's headers cost some 20 s a translation unit: they are compiled once, and every target that includes them takes
# that result. Position-independent code everywhere, because a precompiled header fits one set of code-generation flags.
add_library(trainer_torch STATIC "${CMAKE_SOURCE_DIR}/trainer/torch/threads.cpp")
target_sources(trainer_torch PUBLIC FILE_SET HEADERS BASE_DIRS "${CMAKE_SOURCE_DIR}" FILES
               "${CMAKE_SOURCE_DIR}/trainer/torch/threads.h" "${CMAKE_SOURCE_DIR}/trainer/torch/torch.h")
target_link_libraries(trainer_torch PUBLIC torch_cpu core_base PRIVATE rentune_flags)
target_compile_options(trainer_torch PRIVATE -fPIC)
target_precompile_headers(trainer_torch PRIVATE "${CMAKE_SOURCE_DIR}/trainer/torch/torch.h")

# rentune_uses_torch(TARGET): links libtorch and takes the shared precompiled header.
function(rentune_uses_torch TARGET)
  target_link_libraries(${TARGET} PUBLIC trainer_torch)
  target_compile_options(${TARGET} PRIVATE -fPIC)
  target_precompile_headers(${TARGET} REUSE_FROM trainer_torch)
endfunction()
