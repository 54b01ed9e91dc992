// SPDX-License-Identifier: Apache-2.0
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "model/isa/ktrace.h"
#include "workloads/loader/workload_folder.h"

namespace npulab::loader {
namespace {

namespace fs = std::filesystem;

void write_file(const fs::path& path, const char* data, std::size_t size) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out.write(data, static_cast<std::streamsize>(size));
  out.close();
  if (!out) throw UserError({{path.string(), 0, 0, "", std::string("cannot be written: ") + std::strerror(errno)}});
}

/// A name as a double-quoted YAML scalar.
std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) >= 0x20) out += c;
  }
  return out + '"';
}

/// "012_conv1.ktrace": in order of use, with only plain characters.
std::string kernel_file(std::size_t index, const std::string& name) {
  std::string plain = std::to_string(index);
  plain.insert(0, plain.size() < 3 ? 3 - plain.size() : 0, '0');
  plain += '_';
  for (char c : name.substr(0, 60)) plain += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return plain + ".ktrace";
}

const char* role_name(WorkloadTensor::Role role) {
  static const char* const names[] = {"input", "output", "constant", "intermediate"};
  return names[static_cast<int>(role)];
}

const char* kind_name(WorkloadTask::Kind kind) {
  static const char* const names[] = {"kernel", "copy_to_device", "copy_to_host", "event_record", "event_wait"};
  return names[static_cast<int>(kind)];
}

std::string tensor_text(const WorkloadTensor& tensor, std::vector<std::uint8_t>& constants) {
  std::string text = "  - {name: " + quoted(tensor.name) + ", role: " + role_name(tensor.role) +
                     ", type: " + isa::name_of(tensor.type) + ", shape: [";
  for (std::size_t i = 0; i < tensor.shape.size(); ++i) text += (i > 0 ? ", " : "") + std::to_string(tensor.shape[i]);
  text += "], layout: " + tensor.layout + ", offset: " + std::to_string(tensor.offset) +
          " B, bytes: " + std::to_string(tensor.bytes) + " B";
  if (!tensor.data.empty()) {
    text += ", data: " + std::to_string(constants.size()) + " B";
    constants.insert(constants.end(), tensor.data.begin(), tensor.data.end());
  }
  return text + "}\n";
}

std::string names_text(const Workload& workload, const std::vector<int>& indices) {
  std::string text = "[";
  for (std::size_t i = 0; i < indices.size(); ++i)
    text += (i > 0 ? ", " : "") + quoted(workload.tensors[static_cast<std::size_t>(indices[i])].name);
  return text + "]\n";
}

std::string stream_text(const WorkloadStream& stream) {
  std::string text = "  - name: " + quoted(stream.name) + "\n    tasks:\n";
  for (const WorkloadTask& task : stream.tasks) {
    text += std::string("      - {kind: ") + kind_name(task.kind) + ", name: " + quoted(task.name);
    if (task.kernel >= 0) text += ", kernel: " + std::to_string(task.kernel);
    if (task.tensor >= 0) text += ", tensor: " + std::to_string(task.tensor);
    if (task.event >= 0) text += ", event: " + std::to_string(task.event);
    text += "}\n";
  }
  return text;
}

}  // namespace

void write_workload(const std::string& folder, const Workload& workload) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error || !fs::is_directory(folder)) throw UserError({{folder, 0, 0, "", "cannot be made a folder: " + error.message()}});
  std::string text = "# SPDX-License-Identifier: Apache-2.0\nformat: npulab/workload/1\nname: " + quoted(workload.name) +
                     "\ntarget_soc: " + quoted(workload.target_soc) + "\narena: " + std::to_string(workload.arena_bytes) +
                     " B\noperations: " + std::to_string(workload.operations) + "\nkernels:\n";
  for (std::size_t i = 0; i < workload.kernels.size(); ++i) {
    const std::string file = kernel_file(i, workload.kernels[i]->name);
    const std::string trace = isa::write_ktrace(*workload.kernels[i]);
    write_file(fs::path(folder) / file, trace.data(), trace.size());
    text += "  - " + file + '\n';
  }
  std::vector<std::uint8_t> constants;
  std::string tensors = "tensors:\n";
  for (const WorkloadTensor& tensor : workload.tensors) tensors += tensor_text(tensor, constants);
  if (!constants.empty()) text += "constants: constants.bin\n";
  text += tensors + "inputs: " + names_text(workload, workload.inputs) + "outputs: " + names_text(workload, workload.outputs) +
          "streams:\n";
  for (const WorkloadStream& stream : workload.streams) text += stream_text(stream);
  write_file(fs::path(folder) / "workload.yaml", text.data(), text.size());
  if (!constants.empty())
    write_file(fs::path(folder) / "constants.bin", reinterpret_cast<const char*>(constants.data()), constants.size());
}

}  // namespace npulab::loader
