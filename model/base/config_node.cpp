// SPDX-License-Identifier: Apache-2.0
#include "model/base/config_node.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "model/base/nearest_name.h"

namespace npulab {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kMaxFileBytes = 16u << 20;
constexpr int kMaxDepth = 64;
constexpr std::size_t kMaxNodes = 1'000'000;  // aliases can blow a small file up

/// Turns one yaml-cpp document into our tree.
class Importer {
 public:
  Importer(const std::string& file, Problems& problems) : file_(file), problems_(problems) {}

  ConfigNode import(const YAML::Node& yaml, int depth) {
    ConfigNode node;
    node.file = file_;
    node.line = yaml.Mark().line + 1;
    node.column = yaml.Mark().column + 1;
    if (depth > kMaxDepth || ++nodes_ > kMaxNodes) {
      if (!too_large_) problems_.push_back({file_, node.line, node.column, "", "expected a configuration of reasonable size, found one nested or repeated too deeply"});
      too_large_ = true;
      return node;
    }
    if (yaml.IsScalar()) {
      node.kind = ConfigNode::Kind::scalar;
      node.scalar = yaml.Scalar();
    } else if (yaml.IsSequence()) {
      node.kind = ConfigNode::Kind::list;
      for (const auto& item : yaml) node.items.push_back(import(item, depth + 1));
    } else if (yaml.IsMap()) {
      node.kind = ConfigNode::Kind::map;
      import_map(yaml, depth, node);
    }
    return node;
  }

 private:
  void import_map(const YAML::Node& yaml, int depth, ConfigNode& node) {
    for (const auto& pair : yaml) {
      const int line = pair.first.Mark().line + 1, column = pair.first.Mark().column + 1;
      if (!pair.first.IsScalar()) {
        problems_.push_back({file_, line, column, "", "expected a name as key, found a list or map"});
        continue;
      }
      const std::string key = pair.first.Scalar();
      if (const ConfigNode* first = node.find(key)) {
        problems_.push_back({file_, line, column, key, "expected each key once, found it again (first in line " + std::to_string(first->line) + ")"});
        continue;
      }
      ConfigNode value = import(pair.second, depth + 1);
      // Problems with the value of a key are shown at the key.
      value.line = line;
      value.column = column;
      node.entries.push_back({key, std::move(value)});
    }
  }

  const std::string& file_;
  Problems& problems_;
  std::size_t nodes_ = 0;
  bool too_large_ = false;
};

bool read_text(const std::string& file, std::string& text, Problems& problems) {
  std::error_code error;
  if (!fs::exists(file, error)) {
    problems.push_back({file, 0, 0, "", "expected a file, found nothing there"});
    return false;
  }
  if (!fs::is_regular_file(file, error)) {
    problems.push_back({file, 0, 0, "", "expected a file, found a folder or device"});
    return false;
  }
  if (fs::file_size(file, error) > kMaxFileBytes) {
    problems.push_back({file, 0, 0, "", "expected at most 16 MiB of configuration, found " + std::to_string(fs::file_size(file, error)) + " bytes"});
    return false;
  }
  std::ifstream in(file, std::ios::binary);
  if (!in) {
    problems.push_back({file, 0, 0, "", std::string("cannot be read: ") + std::strerror(errno)});
    return false;
  }
  text.assign(std::istreambuf_iterator<char>(in), {});
  if (text.find('\0') != std::string::npos) {
    problems.push_back({file, 0, 0, "", "expected text, found binary data"});
    return false;
  }
  return true;
}

void merge(ConfigNode& base, ConfigNode over) {
  for (ConfigNode::Entry& entry : over.entries) {
    ConfigNode* mine = base.find(entry.key);
    const bool both_maps = mine != nullptr && mine->kind == ConfigNode::Kind::map && entry.node.kind == ConfigNode::Kind::map;
    // A quantity with its evidence is one thing: it is replaced, not merged.
    const bool quantity = entry.node.find("value") != nullptr || (mine != nullptr && mine->find("value") != nullptr);
    if (mine == nullptr) base.entries.push_back(std::move(entry));
    else if (both_maps && !quantity) merge(*mine, std::move(entry.node));
    else *mine = std::move(entry.node);
  }
  base.file = over.file;
  base.line = over.line;
  base.column = over.column;
}

ConfigNode read_file(const std::string& file, std::vector<std::string>& chain, Problems& problems);

/// Replaces every map's `extends` by the contents of the file it names.
void resolve_extends(ConfigNode& node, std::vector<std::string>& chain, Problems& problems) {
  for (ConfigNode& item : node.items) resolve_extends(item, chain, problems);
  for (ConfigNode::Entry& entry : node.entries) resolve_extends(entry.node, chain, problems);
  const auto at = std::find_if(node.entries.begin(), node.entries.end(), [](const auto& e) { return e.key == "extends"; });
  if (at == node.entries.end()) return;
  const ConfigNode extends = at->node;
  node.entries.erase(at);
  if (extends.kind != ConfigNode::Kind::scalar) {
    problems.push_back({extends.file, extends.line, extends.column, "extends", "expected a file name, found a list or map"});
    return;
  }
  const std::string target = (fs::path(extends.file).parent_path() / extends.scalar).lexically_normal().string();
  if (std::find(chain.begin(), chain.end(), target) != chain.end()) {
    std::string text;
    for (const std::string& file : chain) text += file + " -> ";
    problems.push_back({extends.file, extends.line, extends.column, "extends", "expected no cycle, found " + text + target});
    return;
  }
  Problems found;
  ConfigNode base = read_file(target, chain, found);
  if (!found.empty() && found.front().line == 0) {
    found.front().message += " (named by extends in " + extends.file + ':' + std::to_string(extends.line) + ")";
  }
  problems.insert(problems.end(), found.begin(), found.end());
  merge(base, std::move(node));
  node = std::move(base);
}

ConfigNode read_file(const std::string& file, std::vector<std::string>& chain, Problems& problems) {
  ConfigNode root;
  root.file = file;
  std::string text;
  if (!read_text(file, text, problems)) return root;
  try {
    const YAML::Node yaml = YAML::Load(text);
    if (!yaml.IsMap()) {
      problems.push_back({file, 1, 1, "", std::string("expected keys and values, found ") + (yaml.IsNull() ? "an empty file" : "something else")});
      return root;
    }
    root = Importer(file, problems).import(yaml, 0);
  } catch (const YAML::Exception& error) {
    problems.push_back({file, error.mark.line + 1, error.mark.column + 1, "", "expected YAML, found a mistake: " + error.msg});
    return root;
  }
  chain.push_back(fs::path(file).lexically_normal().string());
  resolve_extends(root, chain, problems);
  chain.pop_back();
  return root;
}

std::vector<std::string> keys_of(const ConfigNode& node) {
  std::vector<std::string> keys;
  for (const ConfigNode::Entry& entry : node.entries) keys.push_back(entry.key);
  return keys;
}

/// Walks `parts` from `node`; false when a part names nothing.
bool assign(ConfigNode& node, const std::vector<std::string>& parts, std::size_t at, const std::string& value, std::string& problem) {
  if (at == parts.size()) {
    if (node.kind == ConfigNode::Kind::map && node.find("value") != nullptr) {
      ConfigNode* inner = node.find("value");
      inner->scalar = value;
      node.overridden = true;
      return true;
    }
    if (node.kind != ConfigNode::Kind::scalar && node.kind != ConfigNode::Kind::null) {
      problem = "expected the path of a single value, found a group of " + std::to_string(node.entries.size() + node.items.size());
      return false;
    }
    node.kind = ConfigNode::Kind::scalar;
    node.scalar = value;
    node.overridden = true;
    return true;
  }
  if (parts[at] == "*") {
    bool any = false;
    for (ConfigNode::Entry& entry : node.entries) any = assign(entry.node, parts, at + 1, value, problem) || any;
    return any;
  }
  ConfigNode* child = node.find(parts[at]);
  if (child == nullptr) {
    problem = "expected a configured path, found no '" + parts[at] + "' there" + nearest_hint(parts[at], keys_of(node));
    return false;
  }
  return assign(*child, parts, at + 1, value, problem);
}

}  // namespace

const ConfigNode* ConfigNode::find(const std::string& key) const {
  for (const Entry& entry : entries) {
    if (entry.key == key) return &entry.node;
  }
  return nullptr;
}

ConfigNode* ConfigNode::find(const std::string& key) {
  return const_cast<ConfigNode*>(static_cast<const ConfigNode*>(this)->find(key));
}

ConfigNode read_config_file(const std::string& file, Problems& problems) {
  std::vector<std::string> chain;
  return read_file(file, chain, problems);
}

void apply_override(ConfigNode& root, const std::string& assignment, Problems& problems) {
  const std::size_t equals = assignment.find('=');
  if (equals == std::string::npos || equals == 0) {
    problems.push_back({"--set", 0, 0, "", "expected PATH=VALUE, found '" + assignment + "'"});
    return;
  }
  const std::string path = assignment.substr(0, equals);
  std::vector<std::string> parts;
  std::istringstream stream(path);
  for (std::string part; std::getline(stream, part, '.');) parts.push_back(part);
  // "soc." stands for every SoC of the board.
  if (parts.front() == "soc" && root.find("socs") != nullptr) {
    parts.front() = "socs";
    parts.insert(parts.begin() + 1, "*");
  }
  if (parts.front() == "board") parts.erase(parts.begin());
  std::string problem = "expected a configured path, found an empty one";
  if (parts.empty() || !assign(root, parts, 0, assignment.substr(equals + 1), problem)) problems.push_back({"--set", 0, 0, path, problem});
}

void throw_problems(const Problems& problems) {
  if (!problems.empty()) throw UserError(problems);
}

}  // namespace npulab
