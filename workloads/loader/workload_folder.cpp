// SPDX-License-Identifier: Apache-2.0
#include "workloads/loader/workload_folder.h"

#include <filesystem>
#include <fstream>
#include <set>

#include "model/base/config_reader.h"
#include "model/base/nearest_name.h"
#include "model/isa/ktrace.h"
#include "workloads/kernels/gemm_int8.h"
#include "workloads/kernels/gm_stream.h"

namespace npulab::loader {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFormat = "npulab/workload/1";
const std::vector<std::string> kRoles = {"input", "output", "constant", "intermediate"};
const std::vector<std::string> kTypes = {"int8", "uint8", "int16", "uint16", "int32", "uint32", "fp16", "bf16", "fp32"};
const std::vector<std::string> kTasks = {"kernel", "copy_to_device", "copy_to_host", "event_record", "event_wait"};

class FolderReader {
 public:
  FolderReader(const std::string& path, const WorkloadParameters& parameters) : parameters_(parameters) {
    file_ = fs::is_directory(path) ? (fs::path(path) / "workload.yaml").string() : path;
    folder_ = fs::path(file_).parent_path();
  }

  /// Reads without a chip; a `generate` section is left in `generator`.
  Workload read(Problems& problems) {
    Workload workload;
    const ConfigNode root = read_config_file(file_, problems);
    if (!problems.empty()) return workload;
    ConfigContext context{problems, nullptr, false};
    ConfigReader reader(root, "", context);
    const std::string format = reader.text("format");
    if (!format.empty() && format != kFormat) reader.problem("format", std::string("expected ") + kFormat + ", found '" + format + "'");
    workload.name = reader.text("name");
    if (reader.has("generate")) {
      read_generator(reader.map("generate"));
    } else {
      read_body(reader, workload, problems);
    }
    reader.finish();
    return workload;
  }

  Workload generate(const SocSpec& soc) const {
    if (generator_ == "gm_stream") return kernels::gm_stream(soc, values_.at("bytes_per_core"));
    const kernels::GemmShape shape{values_.at("m"), values_.at("n"), values_.at("k")};
    return kernels::gemm_int8(soc, shape, static_cast<kernels::GemmResult>(result_), static_cast<std::uint32_t>(values_.at("seed")));
  }
  bool generated() const { return !generator_.empty(); }

 private:
  void read_generator(ConfigReader reader) {
    const std::vector<std::string> names = {"gemm_int8", "gm_stream"};
    generator_ = names[static_cast<std::size_t>(reader.choice("kernel", names))];
    const auto value = [&](const char* key, Unit unit, std::int64_t fallback) {
      const auto given = parameters_.find(key);
      std::int64_t number = fallback < 0 ? reader.quantity(key, unit) : reader.quantity_or(key, unit, fallback);
      values_[key] = given == parameters_.end() ? number : given->second;
    };
    if (generator_ == "gm_stream") {
      value("bytes_per_core", Unit::bytes, -1);
    } else {
      for (const char* key : {"m", "n", "k"}) value(key, Unit::count, -1);
      value("seed", Unit::count, 0);
      result_ = reader.choice("result", {"int8", "int32"}, 0);
    }
    for (const auto& [name, number] : parameters_) {
      if (values_.count(name) == 0) reader.problem("", "--set workload." + name + ": expected a key of this section, found another" + nearest_hint(name, reader.keys()));
    }
    reader.finish();
  }

  void read_body(ConfigReader& reader, Workload& workload, Problems& problems) {
    workload.target_soc = reader.text("target_soc");
    workload.arena_bytes = static_cast<std::uint64_t>(reader.quantity("arena", Unit::bytes, 0));
    workload.operations = reader.quantity_or("operations", Unit::count, 0);
    read_kernels(reader, workload, problems);
    const std::string constants = reader.text("constants", "");
    std::vector<std::uint8_t> data;
    if (!constants.empty()) {
      std::ifstream in(folder_ / constants, std::ios::binary);
      if (!in) reader.problem("constants", "expected a file, found nothing readable at '" + constants + "'");
      data.assign(std::istreambuf_iterator<char>(in), {});
    }
    for (ConfigReader entry : reader.list("tensors")) read_tensor(entry, workload, data);
    read_ends(reader, "inputs", WorkloadTensor::Role::input, workload, workload.inputs);
    read_ends(reader, "outputs", WorkloadTensor::Role::output, workload, workload.outputs);
    for (ConfigReader entry : reader.list("streams")) read_stream(entry, workload);
  }

  void read_kernels(ConfigReader& reader, Workload& workload, Problems& problems) {
    for (const std::string& file : reader.texts("kernels")) {
      try {
        workload.kernels.push_back(std::make_shared<const Kernel>(isa::load_ktrace((folder_ / file).string(), parameters_)));
      } catch (const UserError& error) {
        problems.insert(problems.end(), error.diagnostics().begin(), error.diagnostics().end());
      }
    }
  }

  void read_tensor(ConfigReader& entry, Workload& workload, const std::vector<std::uint8_t>& constants) {
    WorkloadTensor tensor;
    tensor.name = entry.text("name");
    tensor.role = static_cast<WorkloadTensor::Role>(entry.choice("role", kRoles));
    tensor.type = static_cast<isa::DataType>(entry.choice("type", kTypes));
    for (const std::string& extent : entry.texts("shape")) {
      std::int64_t value = 0;
      std::string trouble;
      if (!parse_quantity(extent, Unit::count, value, trouble) || value < 0) entry.problem("shape", "expected extents, found '" + extent + "'");
      tensor.shape.push_back(value);
    }
    tensor.layout = entry.text("layout", "ND");
    tensor.offset = static_cast<std::uint64_t>(entry.quantity("offset", Unit::bytes, 0));
    tensor.bytes = static_cast<std::uint64_t>(entry.quantity("bytes", Unit::bytes, 0));
    if (tensor.offset + tensor.bytes > workload.arena_bytes) entry.problem("bytes", "expected a tensor within the arena, found one that ends at " + std::to_string(tensor.offset + tensor.bytes));
    if (entry.has("data")) {
      const auto first = static_cast<std::uint64_t>(entry.quantity("data", Unit::bytes, 0));
      if (first + tensor.bytes > constants.size()) entry.problem("data", "expected a place within the constants, found one beyond " + std::to_string(constants.size()) + " bytes");
      else tensor.data.assign(constants.begin() + static_cast<std::ptrdiff_t>(first), constants.begin() + static_cast<std::ptrdiff_t>(first + tensor.bytes));
    }
    entry.finish();
    workload.tensors.push_back(std::move(tensor));
  }

  void read_ends(ConfigReader& reader, const char* key, WorkloadTensor::Role role, const Workload& workload, std::vector<int>& indices) {
    for (const std::string& name : reader.texts(key, false)) {
      int found = -1;
      std::vector<std::string> names;
      for (std::size_t i = 0; i < workload.tensors.size(); ++i) {
        if (workload.tensors[i].layout != "ND") continue;
        names.push_back(workload.tensors[i].name);
        if (workload.tensors[i].name == name && (workload.tensors[i].role == role || found < 0)) found = static_cast<int>(i);
      }
      if (found < 0) reader.problem(key, "expected the name of a tensor, found '" + name + "'" + nearest_hint(name, names));
      else indices.push_back(found);
    }
  }

  static void read_stream(ConfigReader& entry, Workload& workload) {
    WorkloadStream stream;
    stream.name = entry.text("name");
    for (ConfigReader item : entry.list("tasks")) {
      WorkloadTask task;
      task.kind = static_cast<WorkloadTask::Kind>(item.choice("kind", kTasks));
      task.name = item.text("name", kTasks[static_cast<std::size_t>(task.kind)]);
      const auto index = [&](const char* key, std::size_t count) {
        return static_cast<int>(item.quantity(key, Unit::count, 0, static_cast<std::int64_t>(count) - 1));
      };
      if (task.kind == WorkloadTask::Kind::kernel) task.kernel = index("kernel", workload.kernels.size());
      else if (task.kind == WorkloadTask::Kind::event_record || task.kind == WorkloadTask::Kind::event_wait) task.event = index("event", 65536);
      else task.tensor = index("tensor", workload.tensors.size());
      item.finish();
      stream.tasks.push_back(task);
    }
    entry.finish();
    workload.streams.push_back(std::move(stream));
  }

  const WorkloadParameters& parameters_;
  std::string file_, generator_;
  int result_ = 0;  // GemmResult
  fs::path folder_;
  std::map<std::string, std::int64_t> values_;
};

}  // namespace

Workload load_workload(const std::string& path, const SocSpec& soc, const WorkloadParameters& parameters) {
  Problems problems;
  FolderReader reader(path, parameters);
  Workload workload = reader.read(problems);
  throw_problems(problems);
  if (reader.generated()) {
    const std::string name = workload.name;
    workload = reader.generate(soc);
    workload.name = name;
  } else if (workload.target_soc != soc.name) {
    throw UserError({{path, 0, 0, "target_soc", "expected the board's chip " + soc.name + ", found a workload lowered for " + workload.target_soc}});
  }
  return workload;
}

std::vector<Diagnostic> check_workload(const std::string& path) {
  Problems problems;
  const WorkloadParameters none;
  FolderReader(path, none).read(problems);
  return problems;
}

}  // namespace npulab::loader
