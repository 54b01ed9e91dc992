// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>

#include "model/base/config_reader.h"
#include "model/base/nearest_name.h"
#include "model/spec/board_overrides.h"
#include "model/spec/board_spec.h"
#include "model/spec/config_check.h"
#include "model/spec/soc_reader.h"

namespace npulab {
namespace {

constexpr const char* kBoardFormat = "npulab/board/1";
constexpr const char* kSocFormat = "npulab/soc/1";

bool is_power_of_two(std::int64_t value) { return value > 0 && (value & (value - 1)) == 0; }

LinkSpec read_link(ConfigReader reader) {
  LinkSpec link;
  link.generation = static_cast<int>(reader.quantity("generation", Unit::count, 1, 6));
  link.width = static_cast<int>(reader.quantity("width", Unit::count, 1, 16));
  link.max_payload_bytes = static_cast<int>(reader.quantity("max_payload", Unit::bytes, 128, 4096));
  link.max_read_request_bytes = static_cast<int>(reader.quantity("max_read_request", Unit::bytes, 128, 4096));
  link.propagation = reader.quantity("propagation", Unit::time, 0);
  link.dllp_overhead_permille = static_cast<int>(reader.quantity("dllp_overhead", Unit::permille, 0, 500));
  ConfigReader credits = reader.map("credits");
  link.posted_header_credits = static_cast<int>(credits.quantity("posted_header", Unit::count, 0, 4096));
  link.posted_data_credits = static_cast<int>(credits.quantity("posted_data", Unit::count, 0, 65536));
  link.nonposted_header_credits = static_cast<int>(credits.quantity("nonposted_header", Unit::count, 0, 4096));
  link.nonposted_data_credits = static_cast<int>(credits.quantity("nonposted_data", Unit::count, 0, 65536));
  link.completion_header_credits = static_cast<int>(credits.quantity("completion_header", Unit::count, 0, 4096));
  link.completion_data_credits = static_cast<int>(credits.quantity("completion_data", Unit::count, 0, 65536));
  credits.finish();
  if (!is_power_of_two(link.width)) reader.problem("width", "expected 1, 2, 4, 8 or 16, found another width");
  if (!is_power_of_two(link.max_payload_bytes)) reader.problem("max_payload", "expected a power of two, found another size");
  if (!is_power_of_two(link.max_read_request_bytes)) reader.problem("max_read_request", "expected a power of two, found another size");
  reader.finish();
  return link;
}

/// Names become parts of dotted paths.
void check_name(ConfigReader& reader, const std::string& name) {
  const bool fine = std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '@'; });
  if (!fine || name.empty()) reader.problem(name, "expected a name of letters, digits, '_' and '-', found another");
}

/// What may hang below what: root port -> (upstream -> downstream)* -> endpoint.
bool fits_below(PcieNodeSpec::Kind parent, PcieNodeSpec::Kind child) {
  using Kind = PcieNodeSpec::Kind;
  const bool device = child == Kind::switch_upstream || child == Kind::endpoint;
  return parent == Kind::switch_upstream ? child == Kind::switch_downstream : parent != Kind::endpoint && device;
}

class BoardReader {
 public:
  explicit BoardReader(BoardSpec& board) : board_(board) {}

  void read(ConfigReader reader) {
    board_.name = reader.text("name");
    board_.engine = static_cast<EngineKind>(reader.choice("engine", {"scoreboard", "process"}, 0));
    board_.full_boot = reader.choice("boot", {"fast", "full"}, 0) == 1;
    read_host(reader.map("host"));
    ConfigReader socs = reader.map("socs");
    for (const std::string& name : socs.keys()) {
      ConfigReader soc = socs.map(name);
      soc.text("format", kSocFormat);
      check_name(socs, name);
      names_.push_back(name);
      board_.socs.push_back(read_soc(soc));
    }
    if (names_.empty()) socs.problem("", "expected at least one chip, found none");
    read_devices(reader.map("devices"));
    read_tree(reader.map("pcie"), -1);
    for (std::size_t i = 0; i < board_.devices.size(); ++i) {
      const auto uses = std::count_if(board_.pcie.begin(), board_.pcie.end(), [&](const PcieNodeSpec& n) { return n.device == static_cast<int>(i); });
      if (uses != 1) reader.problem("pcie", "expected " + board_.devices[i].path + " to be one endpoint of the tree, found it " + std::to_string(uses) + " times");
    }
    reader.finish();
  }

 private:
  void read_host(ConfigReader reader) {
    HostSpec& host = board_.host;
    host.memory_latency = reader.quantity("memory_latency", Unit::time);
    host.memory_bytes_per_s = reader.quantity("memory_bandwidth", Unit::bandwidth, 1'000'000);
    host.read_completion_boundary = static_cast<int>(reader.quantity("read_completion_boundary", Unit::bytes, 64, 128));
    if (!is_power_of_two(host.read_completion_boundary)) reader.problem("read_completion_boundary", "expected 64 B or 128 B, found another size");
    host.doorbell_latency = reader.quantity("doorbell", Unit::time, 0);
    host.interrupt_latency = reader.quantity("interrupt", Unit::time, 0);
    host.driver_call = reader.quantity("driver_call", Unit::time, 0);
    host.launch_call = reader.quantity("launch_call", Unit::time, 0);
    host.ready_timeout = reader.quantity("ready_timeout", Unit::time);
    host.poll_period = reader.quantity("poll_period", Unit::time, 1000);
    reader.finish();
  }

  void read_devices(ConfigReader reader) {
    for (const std::string& name : reader.keys()) {
      ConfigReader device = reader.map(name);
      DeviceSpec spec;
      spec.path = "board." + name;
      const std::string soc = device.text("soc");
      const auto at = std::find(names_.begin(), names_.end(), soc);
      if (at == names_.end()) device.problem("soc", "expected a name under socs, found '" + soc + "'" + nearest_hint(soc, names_));
      spec.soc = at == names_.end() ? 0 : static_cast<int>(at - names_.begin());
      spec.boot_failure = device.text("boot_failure", "");
      spec.fails_boot = !spec.boot_failure.empty();
      device.finish();
      check_name(reader, name);
      device_names_.push_back(name);
      board_.devices.push_back(spec);
    }
    if (board_.devices.empty()) reader.problem("", "expected at least one device, found none");
    reader.finish();
  }

  void read_tree(ConfigReader reader, int parent) {
    using Kind = PcieNodeSpec::Kind;
    for (const std::string& name : reader.keys()) {
      check_name(reader, name);
      ConfigReader entry = reader.map(name);
      PcieNodeSpec node;
      node.kind = static_cast<Kind>(entry.choice("kind", {"root_port", "switch_upstream", "switch_downstream", "endpoint"}));
      node.parent = parent;
      node.path = (parent < 0 ? std::string("board") : board_.pcie[static_cast<std::size_t>(parent)].path) + '.' + name;
      const bool fits = parent < 0 ? node.kind == Kind::root_port : fits_below(board_.pcie[static_cast<std::size_t>(parent)].kind, node.kind);
      if (!fits) {
        entry.problem("kind", "expected root_port -> (switch_upstream -> switch_downstream)* -> endpoint, found it elsewhere");
        continue;  // its other keys belong to another kind
      }
      // A link joins a root port or downstream port to what is below it; inside a switch there is none.
      if (node.kind == Kind::switch_upstream || node.kind == Kind::endpoint) node.link = read_link(entry.map("link"));
      if (node.kind != Kind::endpoint) node.forward_latency = entry.quantity("forward_latency", Unit::time, 0);
      if (node.kind == Kind::endpoint) node.device = read_endpoint_device(entry);
      if (node.device >= 0) check_link(entry, node);
      board_.pcie.push_back(node);
      const int index = static_cast<int>(board_.pcie.size()) - 1;
      if (node.kind != Kind::endpoint) {
        ConfigReader children = entry.map("children");
        const std::size_t count = children.keys().size();
        if (node.kind != Kind::switch_upstream && count > 1) children.problem("", "expected one link below a port, found " + std::to_string(count));
        read_tree(children, index);
      }
      entry.finish();
    }
    reader.finish();
  }

  int read_endpoint_device(ConfigReader& entry) {
    const std::string device = entry.text("device");
    const auto at = std::find(device_names_.begin(), device_names_.end(), device);
    if (at != device_names_.end()) return static_cast<int>(at - device_names_.begin());
    entry.problem("device", "expected a name under devices, found '" + device + "'" + nearest_hint(device, device_names_));
    return -1;
  }

  /// A link trains to what its endpoint can do, or less.
  void check_link(ConfigReader& entry, const PcieNodeSpec& node) {
    const DeviceSpec& device = board_.devices[static_cast<std::size_t>(node.device)];
    if (board_.socs.empty()) return;
    const EndpointSpec& endpoint = board_.socs[static_cast<std::size_t>(device.soc)].endpoint;
    const auto most = [&](const char* key, int found, int most_value) {
      if (found > most_value) entry.problem("link", std::string("expected ") + key + " of at most " + std::to_string(most_value) + " as the endpoint has, found " + std::to_string(found));
    };
    most("generation", node.link.generation, endpoint.max_generation);
    most("width", node.link.width, endpoint.max_width);
    most("max_payload", node.link.max_payload_bytes, endpoint.max_payload_bytes);
  }

  BoardSpec& board_;
  std::vector<std::string> names_, device_names_;
};

Evidence evidence_of(const std::string& mark) {
  if (mark == "measured") return Evidence::measured;
  if (mark == "documented") return Evidence::documented;
  if (mark == "derived") return Evidence::derived;
  return mark == "overridden" ? Evidence::overridden : Evidence::assumed;
}

ConfigContext context_for(Problems& problems, ParameterTable& parameters) {
  ConfigContext context{problems, nullptr, true};
  context.sink = [&parameters](const std::string& path, const std::string& value, const std::string& evidence,
                               const std::string& source, const ConfigNode& node) {
    parameters.parameters.push_back({path, value, evidence_of(evidence), source, node.file, node.line});
  };
  return context;
}

/// Checks the format line and reads what it names; unknown formats list what can be read.
void read_by_format(const ConfigNode& root, Problems& problems, BoardSpec& board, bool board_only) {
  ConfigContext context = context_for(problems, board.parameters);
  ConfigReader reader(root, "", context);
  const std::string format = reader.text("format");
  if (format == kBoardFormat) {
    BoardReader(board).read(reader);
  } else if (format == kSocFormat && !board_only) {
    board.socs.push_back(read_soc(reader));
  } else if (!format.empty()) {
    reader.problem("format", std::string("expected ") + kBoardFormat + (board_only ? "" : std::string(" or ") + kSocFormat) + ", found '" + format + "'");
  }
}

}  // namespace

const char* name_of(Evidence evidence) {
  static const char* const names[] = {"measured", "documented", "derived", "assumed", "overridden"};
  return names[static_cast<int>(evidence)];
}

BoardSpec load_board(const std::string& file, const std::vector<std::string>& overrides) {
  Problems problems;
  BoardSpec board;
  board.file = file;
  ConfigNode root = read_config_file(file, problems);
  throw_problems(problems);
  apply_board_overrides(root, overrides, problems);
  read_by_format(root, problems, board, true);
  throw_problems(problems);
  return board;
}

std::vector<Diagnostic> check_config_file(const std::string& file) {
  Problems problems;
  BoardSpec board;
  const ConfigNode root = read_config_file(file, problems);
  if (problems.empty()) read_by_format(root, problems, board, false);
  return problems;
}

}  // namespace npulab
