# SPDX-License-Identifier: GPL-3.0-or-later
# One call a target. Includes are written from the repository root, headers are a file set, so that the target
# all_verify_interface_header_sets proves that each compiles alone.

# rentune_library(NAME SOURCES f... HEADERS f... [PUBLIC lib...] [PRIVATE lib...])
function(rentune_library NAME)
  cmake_parse_arguments(A "" "" "SOURCES;HEADERS;PUBLIC;PRIVATE" ${ARGN})
  if(A_SOURCES)
    add_library(${NAME} STATIC ${A_SOURCES})
    target_sources(${NAME} PUBLIC FILE_SET HEADERS BASE_DIRS "${CMAKE_SOURCE_DIR}" FILES ${A_HEADERS})
    target_link_libraries(${NAME} PUBLIC ${A_PUBLIC} PRIVATE rentune_flags ${A_PRIVATE})
    set_target_properties(${NAME} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  else()
    add_library(${NAME} INTERFACE)
    target_sources(${NAME} INTERFACE FILE_SET HEADERS BASE_DIRS "${CMAKE_SOURCE_DIR}" FILES ${A_HEADERS})
    target_link_libraries(${NAME} INTERFACE ${A_PUBLIC})
  endif()
endfunction()

# rentune_program(NAME SOURCES f... LINK lib...): an executable in build/PRESET/bin.
function(rentune_program NAME)
  cmake_parse_arguments(A "" "" "SOURCES;LINK" ${ARGN})
  add_executable(${NAME} ${A_SOURCES})
  target_include_directories(${NAME} PRIVATE "${CMAKE_SOURCE_DIR}")
  target_link_libraries(${NAME} PRIVATE rentune_flags ${A_LINK})
  set_target_properties(${NAME} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
endfunction()

# rentune_test(NAME SOURCES f... LINK lib... [LABELS l...] [TIMEOUT s]): a GoogleTest program, one CTest entry.
# The test reads its files from RENTUNE_TEST_DATA (tests/data) and finds the product in RENTUNE_BIN.
function(rentune_test NAME)
  cmake_parse_arguments(A "" "TIMEOUT" "SOURCES;LINK;LABELS" ${ARGN})
  add_executable(${NAME} ${A_SOURCES})
  target_include_directories(${NAME} PRIVATE "${CMAKE_SOURCE_DIR}")
  target_link_libraries(${NAME} PRIVATE rentune_flags test_support ${A_LINK} GTest::gtest GTest::gmock GTest::gtest_main)
  set_target_properties(${NAME} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/tests")
  add_test(NAME ${NAME} COMMAND ${NAME})
  if(NOT A_TIMEOUT)
    set(A_TIMEOUT 120)
  endif()
  set_tests_properties(${NAME} PROPERTIES LABELS "${A_LABELS}" TIMEOUT ${A_TIMEOUT} ENVIRONMENT
    "RENTUNE_TEST_DATA=${CMAKE_SOURCE_DIR}/tests/data;RENTUNE_BIN=${CMAKE_BINARY_DIR}/bin;RENTUNE_DEPS=${RENTUNE_DEPS};QT_QPA_PLATFORM=offscreen")
endfunction()

# rentune_left_out(NAME REASON): names a test whose means are absent here; `./dev test` ends with the list.
function(rentune_left_out NAME REASON)
  set_property(GLOBAL APPEND_STRING PROPERTY RENTUNE_LEFT_OUT "${NAME}: ${REASON}\n")
endfunction()
