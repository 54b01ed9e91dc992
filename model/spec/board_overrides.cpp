// SPDX-License-Identifier: Apache-2.0
#include "model/spec/board_overrides.h"

#include <algorithm>

namespace npulab {
namespace {

/// Cuts `prefix` off `path`; false when it does not begin so.
bool cut(std::string& path, const std::string& prefix) {
  if (path.rfind(prefix, 0) != 0) return false;
  path.erase(0, prefix.size());
  return true;
}

/// Name under socs of a chip that only `device` uses; copies the shared one the first time.
std::string own_soc(ConfigNode& root, const std::string& device, ConfigNode& soc) {
  const std::string shared = soc.scalar;
  ConfigNode* socs = root.find("socs");
  const ConfigNode* source = socs == nullptr ? nullptr : socs->find(shared);
  const auto& devices = root.find("devices")->entries;
  const auto users = std::count_if(devices.begin(), devices.end(), [&](const ConfigNode::Entry& entry) {
    const ConfigNode* used = entry.node.find("soc");
    return used != nullptr && used->scalar == shared;
  });
  if (source == nullptr || users < 2) return shared;
  const std::string own = shared + '@' + device;
  ConfigNode copy = *source;
  socs->entries.push_back({own, std::move(copy)});
  soc.scalar = own;
  return own;
}

/// The path in the tree that a --set path means.
std::string tree_path(ConfigNode& root, std::string path) {
  cut(path, "board.");
  if (cut(path, "soc.") || cut(path, "*.soc.") || cut(path, "devices.*.soc.")) return "socs.*." + path;
  ConfigNode* devices = root.find("devices");
  if (devices == nullptr) return path;
  for (ConfigNode::Entry& device : devices->entries) {
    std::string rest = path;
    cut(rest, "devices.");
    if (!cut(rest, device.key + '.')) continue;
    ConfigNode* soc = device.node.find("soc");
    if (soc != nullptr && cut(rest, "soc.")) return "socs." + own_soc(root, device.key, *soc) + '.' + rest;
    return "devices." + device.key + '.' + rest;
  }
  return path;
}

}  // namespace

void apply_board_overrides(ConfigNode& root, const std::vector<std::string>& assignments, Problems& problems) {
  for (const std::string& assignment : assignments) {
    const std::size_t equals = assignment.find('=');
    if (equals == std::string::npos || equals == 0) {
      problems.push_back({"--set", 0, 0, "", "expected PATH=VALUE, found '" + assignment + "'"});
      continue;
    }
    apply_override(root, tree_path(root, assignment.substr(0, equals)), assignment.substr(equals + 1), problems);
  }
}

}  // namespace npulab
