// SPDX-License-Identifier: Apache-2.0
#include "model/base/config_node.h"

#include <algorithm>
#include <filesystem>

#include "model/base/config_yaml.h"
#include "model/base/nearest_name.h"

namespace npulab {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxFiles = 200;  // extended by one another

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
  base.kind = over.kind;
  base.file = over.file;
  base.line = over.line;
  base.column = over.column;
}

/// Reads a file with what it extends, however deep.
class ExtendingReader {
 public:
  explicit ExtendingReader(Problems& problems) : problems_(problems) {}

  ConfigNode read(const std::string& file) {
    ConfigNode root = read_yaml_file(file, problems_, nodes_left_);
    chain_.push_back(fs::path(file).lexically_normal().string());
    resolve(root);
    chain_.pop_back();
    return root;
  }

 private:
  /// Replaces every map's `extends` by the contents of the file it names.
  void resolve(ConfigNode& node) {
    for (ConfigNode& item : node.items) resolve(item);
    for (ConfigNode::Entry& entry : node.entries) resolve(entry.node);
    const auto at = std::find_if(node.entries.begin(), node.entries.end(), [](const auto& e) { return e.key == "extends"; });
    if (at == node.entries.end()) return;
    const ConfigNode extends = at->node;
    node.entries.erase(at);
    if (extends.kind != ConfigNode::Kind::scalar) return report(extends, "expected a file name, found none");
    const std::string target = (fs::path(extends.file).parent_path() / extends.scalar).lexically_normal().string();
    if (std::find(chain_.begin(), chain_.end(), target) != chain_.end()) return report(extends, "expected no cycle, found " + chain_to(target));
    if (++files_ > kMaxFiles) {
      if (files_ == kMaxFiles + 1) report(extends, "expected at most " + std::to_string(kMaxFiles) + " files, found more");
      return;
    }
    const std::size_t before = problems_.size();
    ConfigNode base = read(target);
    // A file that cannot be opened has no line of its own.
    if (problems_.size() > before && problems_[before].line == 0) {
      problems_[before].message += " (named by extends in " + extends.file + ':' + std::to_string(extends.line) + ")";
    }
    merge(base, std::move(node));
    node = std::move(base);
  }

  void report(const ConfigNode& extends, const std::string& message) {
    problems_.push_back({extends.file, extends.line, extends.column, "extends", message});
  }

  std::string chain_to(const std::string& target) const {
    std::string text;
    for (const std::string& file : chain_) text += file + " -> ";
    return text + target;
  }

  Problems& problems_;
  std::vector<std::string> chain_;
  std::size_t files_ = 0;
  std::size_t nodes_left_ = kMaxConfigNodes;
};

std::vector<std::string> keys_of(const ConfigNode& node) {
  std::vector<std::string> keys;
  for (const ConfigNode::Entry& entry : node.entries) keys.push_back(entry.key);
  for (std::size_t i = 0; i < node.items.size(); ++i) keys.push_back(std::to_string(i));
  return keys;
}

/// One assignment on its way down the tree.
class Override {
 public:
  /// With `adds`, a last key that is not there is added: optional keys that the file leaves out. The reader reports it when
  /// there is no such key at all.
  Override(const std::vector<std::string>& parts, const std::string& value, bool adds) : parts_(parts), value_(value), adds_(adds) {}

  /// False when nothing was assigned; problem() then says why.
  bool apply(ConfigNode& node, std::size_t at) {
    if (at == parts_.size()) return assign(node);
    const std::string& part = parts_[at];
    if (node.find("value") != nullptr) return fail("expected nothing below a quantity, found '" + part + "'");
    if (part == "*") {
      bool any = false;
      for (ConfigNode::Entry& entry : node.entries) any = apply(entry.node, at + 1) || any;
      for (ConfigNode& item : node.items) any = apply(item, at + 1) || any;
      return any;
    }
    for (std::size_t i = 0; i < node.items.size(); ++i) {
      if (part == std::to_string(i)) return apply(node.items[i], at + 1);
    }
    if (ConfigNode* child = node.find(part)) return apply(*child, at + 1);
    if (!adds_ || at + 1 < parts_.size() || part.empty() || node.kind != ConfigNode::Kind::map) {
      return fail("expected a configured path, found no '" + part + "' there" + nearest_hint(part, keys_of(node)));
    }
    node.entries.push_back({part, ConfigNode{}});
    return assign(node.entries.back().node);
  }

  const std::string& problem() const { return problem_; }

 private:
  bool assign(ConfigNode& node) {
    if (ConfigNode* value = node.find("value")) {
      value->kind = ConfigNode::Kind::scalar;
      value->scalar = value_;
      value->items.clear();
      value->entries.clear();
    } else if (node.kind == ConfigNode::Kind::scalar || node.kind == ConfigNode::Kind::null) {
      node.kind = ConfigNode::Kind::scalar;
      node.scalar = value_;
    } else {
      return fail("expected the path of a single value, found a group of " + std::to_string(node.entries.size() + node.items.size()));
    }
    node.overridden = true;
    return true;
  }

  bool fail(std::string problem) {
    problem_ = std::move(problem);
    return false;
  }

  const std::vector<std::string>& parts_;
  const std::string& value_;
  const bool adds_;
  std::string problem_ = "expected a configured path, found nothing there";
};

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

ConfigNode read_config_file(const std::string& file, Problems& problems) { return ExtendingReader(problems).read(file); }

void apply_override(ConfigNode& root, const std::string& path, const std::string& value, Problems& problems) {
  std::vector<std::string> parts(1);
  for (const char c : path) {
    if (c == '.') parts.emplace_back();
    else parts.back() += c;
  }
  if (Override(parts, value, false).apply(root, 0)) return;
  Override adding(parts, value, true);
  if (!adding.apply(root, 0)) problems.push_back({"--set", 0, 0, path, adding.problem()});
}

void throw_problems(const Problems& problems) {
  if (!problems.empty()) throw UserError(problems);
}

}  // namespace npulab
