// SPDX-License-Identifier: Apache-2.0
#include "workloads/operators/window.h"

#include <algorithm>

#include "model/base/units.h"
#include "model/isa/isa_limits.h"

namespace npulab::operators {
namespace {

constexpr std::int64_t kMaxKernel = 255, kMaxPad = 255;

/// Pads as the attributes say: given, none, or what makes out = ceil(in / stride).
std::vector<std::int64_t> pads_of(const graph::Node& node, const Window& w) {
  const std::string automatic = node.text("auto_pad", "NOTSET");
  if (automatic == "NOTSET") return node.integers("pads", {0, 0, 0, 0});
  if (automatic == "VALID") return {0, 0, 0, 0};
  if (automatic != "SAME_UPPER" && automatic != "SAME_LOWER") {
    throw OperatorProblem{"auto_pad: expected NOTSET, VALID, SAME_UPPER or SAME_LOWER, found '" + automatic + "'"};
  }
  const auto total = [](std::int64_t in, std::int64_t stride, std::int64_t reach) {
    return std::max<std::int64_t>(0, (ceil_div(in, stride) - 1) * stride + reach - in);
  };
  const std::int64_t h = total(w.in_h, w.stride_h, w.reach_h()), v = total(w.in_w, w.stride_w, w.reach_w());
  if (automatic == "SAME_UPPER") return {h / 2, v / 2, (h + 1) / 2, (v + 1) / 2};
  return {(h + 1) / 2, (v + 1) / 2, h / 2, v / 2};
}

}  // namespace

void require_range(const char* what, std::initializer_list<std::int64_t> values, std::int64_t least, std::int64_t most) {
  for (std::int64_t value : values) {
    if (value >= least && value <= most) continue;
    throw OperatorProblem{std::string(what) + ": expected " + std::to_string(least) + " to " + std::to_string(most) + ", found " +
                          std::to_string(value)};
  }
}

Window window_of(const graph::Node& node, std::int64_t in_h, std::int64_t in_w, std::int64_t kernel_h, std::int64_t kernel_w) {
  const auto strides = node.integers("strides", {1, 1}), dilations = node.integers("dilations", {1, 1});
  if (strides.size() != 2 || dilations.size() != 2)
    throw OperatorProblem{"expected two strides and two dilations, found other counts"};
  Window w{in_h, in_w, 0, 0, kernel_h, kernel_w, strides[0], strides[1], dilations[0], dilations[1]};
  require_range("kernel_shape", {kernel_h, kernel_w}, 1, kMaxKernel);
  require_range("strides", {w.stride_h, w.stride_w}, 1, isa::limits::kLoad3dStride);
  require_range("dilations", {w.dilation_h, w.dilation_w}, 1, kMaxKernel);
  const std::vector<std::int64_t> pads = pads_of(node, w);
  if (pads.size() != 4) throw OperatorProblem{"pads: expected four, found " + std::to_string(pads.size())};
  require_range("pads", {pads[0], pads[1], pads[2], pads[3]}, 0, kMaxPad);
  w.pad_top = pads[0];
  w.pad_left = pads[1];
  w.pad_bottom = pads[2];
  w.pad_right = pads[3];
  const std::int64_t height = in_h + w.pad_top + w.pad_bottom, width = in_w + w.pad_left + w.pad_right;
  if (height < w.reach_h() || width < w.reach_w()) {
    throw OperatorProblem{"expected an input at least as large as the window, found " + std::to_string(in_h) + " x " +
                          std::to_string(in_w)};
  }
  w.out_h = (height - w.reach_h()) / w.stride_h + 1;
  w.out_w = (width - w.reach_w()) / w.stride_w + 1;
  return w;
}

}  // namespace npulab::operators
