# SPDX-License-Identifier: GPL-3.0-or-later
# Every outside library as an imported target, found once.
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(CLI11 REQUIRED)
find_package(GTest REQUIRED)
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(pcre2 REQUIRED IMPORTED_TARGET libpcre2-8)
pkg_check_modules(xxhash REQUIRED IMPORTED_TARGET libxxhash)
pkg_check_modules(utf8proc REQUIRED IMPORTED_TARGET libutf8proc)

if(NOT TARGET yaml-cpp::yaml-cpp) # yaml-cpp < 0.8 exports the bare name
  add_library(yaml-cpp::yaml-cpp ALIAS yaml-cpp)
endif()

# llama.cpp's Jinja engine and what it needs of it, built as one quiet static library.
set(llama "${RENTUNE_DEPS}/llama.cpp")
file(GLOB jinja_sources "${llama}/common/jinja/*.cpp")
add_library(llama_jinja STATIC ${jinja_sources} "${llama}/common/json.cpp" "${llama}/common/unicode.cpp")
target_include_directories(llama_jinja SYSTEM PUBLIC "${llama}/common" "${llama}/vendor" "${CMAKE_SOURCE_DIR}/cmake/llama_stub")
target_compile_options(llama_jinja PRIVATE -w)
set_target_properties(llama_jinja PROPERTIES POSITION_INDEPENDENT_CODE ON)

# libtorch from the wheel, CPU side only; the wheel's own TorchConfig stops where no CUDA toolkit is installed.
if(RENTUNE_TRAINER)
  add_library(torch_cpu INTERFACE)
  target_include_directories(torch_cpu SYSTEM INTERFACE "${RENTUNE_DEPS}/torch/include"
                             "${RENTUNE_DEPS}/torch/include/torch/csrc/api/include")
  target_link_directories(torch_cpu INTERFACE "${RENTUNE_DEPS}/torch/lib")
  target_link_libraries(torch_cpu INTERFACE "${RENTUNE_DEPS}/torch/lib/libtorch_cpu.so" "${RENTUNE_DEPS}/torch/lib/libc10.so"
                        Threads::Threads)
  target_link_options(torch_cpu INTERFACE "-Wl,-rpath,${RENTUNE_DEPS}/torch/lib:${RENTUNE_DEPS}/cuda/lib"
                      "-Wl,-rpath-link,${RENTUNE_DEPS}/cuda/lib" "-Wl,--disable-new-dtags")
endif()

if(RENTUNE_APP)
  find_package(Qt6 6.4 REQUIRED COMPONENTS Core Gui Widgets Charts Sql Svg Test LinguistTools)
endif()
