// SPDX-License-Identifier: Apache-2.0
// Attributes that convolution and pooling share: strides, dilations, pads and their automatic forms.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "workloads/operators/operator.h"

namespace npulab::operators {

/// A two-dimensional window that slides over in_h x in_w positions.
struct Window {
  std::int64_t in_h = 0, in_w = 0, out_h = 0, out_w = 0;
  std::int64_t kernel_h = 0, kernel_w = 0, stride_h = 1, stride_w = 1, dilation_h = 1, dilation_w = 1;
  std::int64_t pad_top = 0, pad_left = 0, pad_bottom = 0, pad_right = 0;
  std::int64_t reach_h() const { return dilation_h * (kernel_h - 1) + 1; }
  std::int64_t reach_w() const { return dilation_w * (kernel_w - 1) + 1; }
};

/// OperatorProblem naming `what` unless every value is within [least, most].
void require_range(const char* what, std::initializer_list<std::int64_t> values, std::int64_t least, std::int64_t most);

/// Reads `strides`, `dilations`, `pads` and `auto_pad` of a node whose kernel and input sizes are given, and works out the
/// output's size. OperatorProblem when they make no sense or exceed what the image-to-column unit encodes.
Window window_of(const graph::Node& node, std::int64_t in_h, std::int64_t in_w, std::int64_t kernel_h, std::int64_t kernel_w);

}  // namespace npulab::operators
