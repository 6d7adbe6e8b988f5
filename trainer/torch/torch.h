// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The part of libtorch the trainer uses, as one include, so that it can be precompiled.
#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Parallel.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/csrc/autograd/grad_mode.h>
