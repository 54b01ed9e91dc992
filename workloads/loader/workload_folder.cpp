// SPDX-License-Identifier: Apache-2.0
#include "workloads/loader/workload_folder.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <set>

#include "model/base/config_reader.h"
#include "model/base/nearest_name.h"
#include "model/isa/ktrace.h"
#include "workloads/loader/generate_section.h"

namespace npulab::loader {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostEvents = 65536;
constexpr std::int64_t kMostExtent = std::int64_t{1} << 31;
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

  /// Reads without a chip; a `generate` section is kept for generate().
  Workload read(Problems& problems) {
    Workload workload;
    const ConfigNode root = read_config_file(file_, problems);
    if (!problems.empty()) return workload;
    ConfigContext context{problems, nullptr, false};
    ConfigReader reader(root, "", context);
    const std::string format = reader.text("format");
    if (!format.empty() && format != kFormat)
      reader.problem("format", std::string("expected ") + kFormat + ", found '" + format + "'");
    workload.name = reader.text("name");
    if (reader.has("generate")) {
      section_.read(reader.map("generate"), parameters_, problems);
    } else {
      read_body(reader, workload, problems);
    }
    reader.finish();
    return workload;
  }

  Workload generate(const SocSpec& soc) const { return section_.generate(soc); }
  bool generated() const { return section_.found(); }

 private:
  void read_body(ConfigReader& reader, Workload& workload, Problems& problems) {
    workload.target_soc = reader.text("target_soc", "");
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

  /// Kernel traces know whole numbers only.
  isa::KtraceParameters whole_numbers(Problems& problems) const {
    isa::KtraceParameters numbers;
    for (const auto& [name, text] : parameters_) {
      const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), numbers[name]);
      if (error == std::errc() && stop == text.data() + text.size()) continue;
      problems.push_back({"--set", 0, 0, "workload." + name, "expected a whole number, found '" + text + "'"});
    }
    return numbers;
  }

  void read_kernels(ConfigReader& reader, Workload& workload, Problems& problems) {
    const isa::KtraceParameters numbers = whole_numbers(problems);
    for (const std::string& file : reader.texts("kernels")) {
      try {
        workload.kernels.push_back(std::make_shared<const Kernel>(isa::load_ktrace((folder_ / file).string(), numbers)));
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
    tensor.shape = read_shape(entry);
    tensor.layout = entry.text("layout", "ND");
    tensor.offset = static_cast<std::uint64_t>(entry.quantity("offset", Unit::bytes, 0));
    tensor.bytes = static_cast<std::uint64_t>(entry.quantity("bytes", Unit::bytes, 0));
    check_place(entry, tensor, workload.arena_bytes);
    if (entry.has("data")) {
      const auto first = static_cast<std::uint64_t>(entry.quantity("data", Unit::bytes, 0));
      if (first + tensor.bytes > constants.size()) {
        entry.problem("data",
                      "expected a place within the constants, found one beyond " + std::to_string(constants.size()) + " bytes");
      } else {
        const auto begin = constants.begin() + static_cast<std::ptrdiff_t>(first);
        tensor.data.assign(begin, begin + static_cast<std::ptrdiff_t>(tensor.bytes));
      }
    }
    entry.finish();
    workload.tensors.push_back(std::move(tensor));
  }

  static std::vector<std::int64_t> read_shape(ConfigReader& entry) {
    std::vector<std::int64_t> shape;
    for (const std::string& extent : entry.texts("shape")) {
      std::int64_t value = 0;
      std::string trouble;
      const bool fine = parse_quantity(extent, Unit::count, value, trouble) && value > 0 && value < kMostExtent;
      if (!fine)
        entry.problem("shape", "expected extents from 1 to " + std::to_string(kMostExtent - 1) + ", found '" + extent + "'");
      shape.push_back(fine ? value : 1);
    }
    return shape;
  }

  static void check_place(ConfigReader& entry, const WorkloadTensor& tensor, std::uint64_t arena_bytes) {
    const std::uint64_t end = tensor.offset + tensor.bytes;
    if (end > arena_bytes) {
      entry.problem("bytes", "expected a tensor within the arena of " + std::to_string(arena_bytes) +
                                 " bytes, found one that ends at " + std::to_string(end));
    }
    if (tensor.layout != "ND") return;
    auto bytes = static_cast<std::uint64_t>(isa::size_of(tensor.type));
    for (std::int64_t extent : tensor.shape) bytes = std::min(bytes * static_cast<std::uint64_t>(extent), std::uint64_t{1} << 48);
    if (bytes != tensor.bytes) {
      entry.problem(
          "bytes", "expected the size of the shape, " + std::to_string(bytes) + " B, found " + std::to_string(tensor.bytes) + " B");
    }
  }

  void read_ends(ConfigReader& reader, const char* key, WorkloadTensor::Role role, const Workload& workload,
                 std::vector<int>& indices) {
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
    for (ConfigReader item : entry.list("tasks")) read_task(item, workload, stream);
    entry.finish();
    workload.streams.push_back(std::move(stream));
  }

  static void read_task(ConfigReader& item, const Workload& workload, WorkloadStream& stream) {
    using Kind = WorkloadTask::Kind;
    WorkloadTask task;
    task.kind = static_cast<Kind>(item.choice("kind", kTasks));
    const ConfigNode* kind = item.node().find("kind");
    // What else a task of an unknown kind should have cannot be told.
    if (kind == nullptr || std::find(kTasks.begin(), kTasks.end(), kind->scalar) == kTasks.end()) return;
    task.name = item.text("name", kTasks[static_cast<std::size_t>(task.kind)]);
    const auto index = [&](const char* key, std::size_t count) {
      const std::int64_t value = item.quantity(key, Unit::count, 0);
      if (item.has(key) && value >= static_cast<std::int64_t>(count)) {
        item.problem(key, "expected an index below " + std::to_string(count) + ", found " + std::to_string(value));
      }
      return static_cast<int>(value);
    };
    if (task.kind == Kind::kernel) task.kernel = index("kernel", workload.kernels.size());
    else if (task.kind == Kind::event_record || task.kind == Kind::event_wait) task.event = index("event", kMostEvents);
    else task.tensor = index("tensor", workload.tensors.size());
    item.finish();
    stream.tasks.push_back(task);
  }

  const WorkloadParameters& parameters_;
  std::string file_;
  fs::path folder_;
  GenerateSection section_;
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
  } else if (workload.target_soc.empty()) {
    workload.target_soc = soc.name;
  } else if (workload.target_soc != soc.name) {
    throw UserError({{path, 0, 0, "target_soc",
                      "expected the board's chip " + soc.name + ", found a workload lowered for " + workload.target_soc}});
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
