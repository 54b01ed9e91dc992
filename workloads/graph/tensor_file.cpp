// SPDX-License-Identifier: Apache-2.0
#include "workloads/graph/tensor_file.h"

#include <onnx/onnx_pb.h>

#include <filesystem>
#include <fstream>
#include <regex>

#include "model/base/errors.h"

namespace npulab::graph {
namespace {

constexpr std::int64_t kMaxElements = std::int64_t{1} << 33;

[[noreturn]] void refuse(const std::string& file, const std::string& message) { throw UserError({{file, 0, 0, "", message}}); }

/// Copies a repeated protobuf field of 32-bit numbers into bytes of the tensor's width.
template <typename Target, typename Field>
void narrow(const Field& field, std::vector<std::uint8_t>& data) {
  for (const auto& value : field) {
    const Target target = static_cast<Target>(value);
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(&target);
    data.insert(data.end(), bytes, bytes + sizeof target);
  }
}

constexpr struct {
  const char* name;
  ElementType type;
  int onnx;
} kTypes[] = {{"|i1", ElementType::int8, onnx::TensorProto::INT8},
              {"|u1", ElementType::uint8, onnx::TensorProto::UINT8},
              {"<i4", ElementType::int32, onnx::TensorProto::INT32},
              {"<i8", ElementType::int64, onnx::TensorProto::INT64},
              {"<f4", ElementType::fp32, onnx::TensorProto::FLOAT}};

bool type_of_numpy(const std::string& name, ElementType& type) {
  for (const auto& entry : kTypes) {
    if (name == entry.name) {
      type = entry.type;
      return true;
    }
  }
  return false;
}

/// Version 1.0 of the format: the header, with the data at a multiple of 64 bytes.
std::string npy_bytes(const Tensor& tensor) {
  std::string shape;
  for (std::int64_t extent : tensor.shape) shape += std::to_string(extent) + ", ";
  std::string header = std::string("{'descr': '") + kTypes[static_cast<int>(tensor.type)].name +
                       "', 'fortran_order': False, 'shape': (" + shape + "), }";
  header.resize((10 + header.size() + 1 + 63) / 64 * 64 - 10 - 1, ' ');
  header += '\n';
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes += static_cast<char>(header.size() & 0xff);
  bytes += static_cast<char>(header.size() >> 8);
  return bytes + header;
}

std::string onnx_bytes(const Tensor& tensor) {
  onnx::TensorProto proto;
  proto.set_name(tensor.name);
  proto.set_data_type(kTypes[static_cast<int>(tensor.type)].onnx);
  for (std::int64_t extent : tensor.shape) proto.add_dims(extent);
  proto.set_raw_data(tensor.data.data(), tensor.data.size());
  return proto.SerializeAsString();
}

Tensor read_npy(const std::string& file, const std::string& bytes) {
  if (bytes.size() < 12 || bytes.compare(0, 6, "\x93NUMPY") != 0) refuse(file, "expected a NumPy array, found something else");
  const bool first = bytes[6] == 1;
  std::size_t header = static_cast<std::uint8_t>(bytes[8]) | static_cast<std::size_t>(static_cast<std::uint8_t>(bytes[9])) << 8;
  if (!first)
    header |= static_cast<std::size_t>(static_cast<std::uint8_t>(bytes[10])) << 16 |
              static_cast<std::size_t>(static_cast<std::uint8_t>(bytes[11])) << 24;
  const std::size_t start = first ? 10 : 12;
  if (start + header > bytes.size()) refuse(file, "expected a NumPy array, found a truncated file");
  const std::string text = bytes.substr(start, header);
  std::smatch match;
  Tensor tensor;
  if (!std::regex_search(text, match, std::regex("'descr': *'([^']*)'")) || !type_of_numpy(match[1], tensor.type)) {
    refuse(file, "expected int8, uint8, int32, int64 or float32, found another type");
  }
  if (text.find("'fortran_order': True") != std::string::npos) refuse(file, "expected C order, found Fortran order");
  if (!std::regex_search(text, match, std::regex("'shape': *\\(([^)]*)\\)")))
    refuse(file, "expected a shape in the header, found none");
  const std::string list = match[1];
  static const std::regex number("[0-9]{1,15}");
  for (std::sregex_iterator i(list.begin(), list.end(), number), end; i != end; ++i) tensor.shape.push_back(std::stoll(i->str()));
  tensor.data.assign(bytes.begin() + static_cast<std::ptrdiff_t>(start + header), bytes.end());
  return tensor;
}

bool ends_with(const std::string& text, const std::string& ending) {
  return text.size() >= ending.size() && text.compare(text.size() - ending.size(), ending.size(), ending) == 0;
}

}  // namespace

std::string read_whole_file(const std::string& file, std::int64_t most) {
  std::error_code error;
  if (!std::filesystem::exists(file, error)) refuse(file, "expected a file, found nothing there");
  if (!std::filesystem::is_regular_file(file, error)) refuse(file, "expected a file, found a folder or device");
  const auto size = std::filesystem::file_size(file, error);
  if (static_cast<std::int64_t>(size) > most)
    refuse(file, "expected at most " + std::to_string(most) + " bytes, found " + std::to_string(size));
  std::ifstream in(file, std::ios::binary);
  if (!in) refuse(file, "cannot be read");
  return {std::istreambuf_iterator<char>(in), {}};
}

bool element_type_of(int onnx_type, ElementType& type) {
  for (const auto& entry : kTypes) {
    if (onnx_type == entry.onnx) {
      type = entry.type;
      return true;
    }
  }
  return false;
}

bool decode_tensor(const onnx::TensorProto& proto, Tensor& tensor, std::string& trouble) {
  tensor.name = proto.name();
  tensor.known = true;
  if (!element_type_of(proto.data_type(), tensor.type)) {
    trouble = "expected int8, uint8, int32, int64 or float, found ONNX type " + std::to_string(proto.data_type());
    return false;
  }
  for (std::int64_t extent : proto.dims()) {
    if (extent < 0 || extent > (std::int64_t{1} << 31)) {
      trouble = "expected sensible dimensions, found " + std::to_string(extent);
      return false;
    }
    tensor.shape.push_back(extent);
  }
  if (element_count(tensor.shape) > kMaxElements) {
    trouble = "expected at most " + std::to_string(kMaxElements) + " elements, found " + to_string(tensor.shape);
    return false;
  }
  if (proto.data_location() == onnx::TensorProto::EXTERNAL) {
    trouble = "expected the data in the file, found it in another one";
    return false;
  }
  if (!proto.raw_data().empty()) tensor.data.assign(proto.raw_data().begin(), proto.raw_data().end());
  else if (tensor.type == ElementType::fp32) narrow<float>(proto.float_data(), tensor.data);
  else if (tensor.type == ElementType::int64) narrow<std::int64_t>(proto.int64_data(), tensor.data);
  else if (tensor.type == ElementType::int32) narrow<std::int32_t>(proto.int32_data(), tensor.data);
  else narrow<std::int8_t>(proto.int32_data(), tensor.data);
  const std::int64_t bytes = element_count(tensor.shape) * size_of(tensor.type);
  if (static_cast<std::int64_t>(tensor.data.size()) != bytes) {
    trouble = "expected " + std::to_string(bytes) + " bytes for " + to_string(tensor.shape) + ", found " +
              std::to_string(tensor.data.size());
    return false;
  }
  return true;
}

Tensor read_tensor_file(const std::string& file, const Tensor& expected) {
  const std::string bytes = read_whole_file(file, std::int64_t{1} << 32);
  Tensor tensor;
  if (ends_with(file, ".pb")) {
    onnx::TensorProto proto;
    std::string trouble;
    if (!proto.ParseFromString(bytes)) refuse(file, "expected an ONNX tensor, found something else or a truncated file");
    if (!decode_tensor(proto, tensor, trouble)) refuse(file, trouble);
  } else if (ends_with(file, ".npy")) {
    tensor = read_npy(file, bytes);
  } else {
    tensor.type = expected.type;
    tensor.shape = expected.shape;
    tensor.data.assign(bytes.begin(), bytes.end());
  }
  tensor.name = expected.name;
  const std::int64_t size = element_count(expected.shape) * size_of(expected.type);
  if (tensor.type != expected.type)
    refuse(file, std::string("expected ") + name_of(expected.type) + " for '" + expected.name + "', found " + name_of(tensor.type));
  if (element_count(tensor.shape) != element_count(expected.shape))
    refuse(file, "expected shape " + to_string(expected.shape) + " for '" + expected.name + "', found " + to_string(tensor.shape));
  if (static_cast<std::int64_t>(tensor.data.size()) != size)
    refuse(file,
           "expected " + std::to_string(size) + " bytes for '" + expected.name + "', found " + std::to_string(tensor.data.size()));
  tensor.shape = expected.shape;
  return tensor;
}

void write_tensor_file(const std::string& file, const Tensor& tensor) {
  std::string bytes;
  if (ends_with(file, ".pb")) {
    bytes = onnx_bytes(tensor);
  } else {
    if (ends_with(file, ".npy")) bytes = npy_bytes(tensor);
    bytes.append(tensor.data.begin(), tensor.data.end());
  }
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  out.close();
  if (!out) refuse(file, "expected a place to write to, found none");
}

}  // namespace npulab::graph
