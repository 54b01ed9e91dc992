// SPDX-License-Identifier: Apache-2.0
// Tensors in .pb, .npy and raw files: written and read back, and files that do not fit refused.
#include <gtest/gtest.h>

#include "model/base/errors.h"
#include "tests/unit/workloads/model_builder.h"
#include "workloads/graph/tensor_file.h"

namespace npulab::test {
namespace {

using graph::ElementType;

TEST(TensorFile, every_form_reads_back) {
  std::mt19937 random(4);
  for (const ElementType type :
       {ElementType::int8, ElementType::uint8, ElementType::int32, ElementType::int64, ElementType::fp32}) {
    for (const graph::Shape& shape : {graph::Shape{}, {7}, {2, 3, 4}, {1, 128, 1, 5}}) {
      const graph::Tensor tensor = random_tensor("t", type, shape, random);
      for (const char* file : {"t.pb", "t.npy", "t.bin"}) {
        graph::write_tensor_file(temporary_file(file), tensor);
        EXPECT_EQ(graph::read_tensor_file(temporary_file(file), tensor).data, tensor.data) << file;
      }
    }
  }
}

TEST(TensorFile, npy_header_is_numpys) {
  // Bytes that numpy.save writes for np.array([[1, 2], [3, 4]], dtype=np.int8), numpy 1.24.
  std::string bytes("\x93NUMPY\x01\x00\x76\x00", 10);
  std::string header = "{'descr': '|i1', 'fortran_order': False, 'shape': (2, 2), }";
  header.resize(117, ' ');
  bytes += header + '\n' + std::string("\x01\x02\x03\x04", 4);
  write_bytes(temporary_file("numpy.npy"), bytes);
  const graph::Tensor expected = integers("t", ElementType::int8, {2, 2}, {1, 2, 3, 4});
  EXPECT_EQ(graph::read_tensor_file(temporary_file("numpy.npy"), expected).data, expected.data);
}

TEST(TensorFile, what_does_not_fit_is_refused) {
  const graph::Tensor tensor = integers("t", ElementType::int32, {2, 2}, {1, 2, 3, 4});
  for (const char* name : {"u.pb", "u.npy"}) {
    const std::string file = temporary_file(name);
    graph::write_tensor_file(file, tensor);
    graph::Tensor other = tensor;
    other.type = ElementType::fp32;
    EXPECT_THROW(graph::read_tensor_file(file, other), UserError);
    other = tensor;
    other.shape = {5};
    EXPECT_THROW(graph::read_tensor_file(file, other), UserError);
    const std::string whole = graph::read_whole_file(file, 1 << 20);
    write_bytes(file, whole.substr(0, whole.size() - 1));
    EXPECT_THROW(graph::read_tensor_file(file, tensor), UserError);
  }
  EXPECT_THROW(graph::read_tensor_file(temporary_file("nothing.pb"), tensor), UserError);
  EXPECT_THROW(graph::read_whole_file(temporary_file("u.pb"), 3), UserError);
  EXPECT_THROW(graph::write_tensor_file("/nowhere/at/all.npy", tensor), UserError);
}

}  // namespace
}  // namespace npulab::test
