// SPDX-License-Identifier: Apache-2.0
#include "workloads/operators/built_in.h"

namespace npulab::operators {

const OperatorRegistry& built_in_operators() {
  static const OperatorRegistry registry = [] {
    OperatorRegistry all;
    all.add(make_qlinear_conv());
    all.add(make_qgemm());
    all.add(make_qlinear_matmul());
    all.add(make_qlinear_add());
    all.add(make_qlinear_global_average_pool());
    all.add(make_max_pool());
    all.add(make_flatten());
    all.add(make_reshape());
    all.add(make_transpose());
    all.add(make_quantize_linear());
    all.add(make_dequantize_linear());
    all.add(make_softmax());
    all.add(make_relu());
    return all;
  }();
  return registry;
}

}  // namespace npulab::operators
