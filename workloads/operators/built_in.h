// SPDX-License-Identifier: Apache-2.0
// One factory a built-in operator; built_in.cpp registers them.
#pragma once

#include <memory>

#include "workloads/operators/operator.h"

namespace npulab::operators {

std::unique_ptr<OperatorDefinition> make_qlinear_conv();
std::unique_ptr<OperatorDefinition> make_qgemm();
std::unique_ptr<OperatorDefinition> make_qlinear_matmul();
std::unique_ptr<OperatorDefinition> make_qlinear_add();
std::unique_ptr<OperatorDefinition> make_qlinear_global_average_pool();
std::unique_ptr<OperatorDefinition> make_max_pool();
std::unique_ptr<OperatorDefinition> make_flatten();
std::unique_ptr<OperatorDefinition> make_reshape();
std::unique_ptr<OperatorDefinition> make_transpose();
std::unique_ptr<OperatorDefinition> make_quantize_linear();
std::unique_ptr<OperatorDefinition> make_dequantize_linear();
std::unique_ptr<OperatorDefinition> make_softmax();
std::unique_ptr<OperatorDefinition> make_relu();

}  // namespace npulab::operators
