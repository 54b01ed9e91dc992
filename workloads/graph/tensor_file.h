// SPDX-License-Identifier: Apache-2.0
// Tensors in files: ONNX TensorProto (.pb), NumPy (.npy) and raw bytes, told apart by their ending.
#pragma once

#include <string>

#include "workloads/graph/graph.h"

namespace onnx {
class TensorProto;
}

namespace npulab::graph {

/// The bytes of `file`; UserError when it is missing, no file, or larger than `most` bytes.
std::string read_whole_file(const std::string& file, std::int64_t most);

/// False with `trouble` ("expected ..., found ...") when the type is not one of ours or the data do not fill the shape.
bool decode_tensor(const onnx::TensorProto& proto, Tensor& tensor, std::string& trouble);
bool element_type_of(int onnx_type, ElementType& type);

/// Reads a tensor for use as `expected` (name, type, shape); raw files must have exactly its size. UserError on any mismatch.
Tensor read_tensor_file(const std::string& file, const Tensor& expected);

/// Writes `tensor` in the form that the ending names. UserError when the file cannot be written.
void write_tensor_file(const std::string& file, const Tensor& tensor);

}  // namespace npulab::graph
