// SPDX-License-Identifier: Apache-2.0
#include "model/base/config_yaml.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <unordered_map>

namespace npulab {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kMaxFileBytes = 16u << 20;
constexpr std::size_t kMaxDepth = 64;
constexpr std::size_t kMaxKeys = 4096;      // of one map

/// Ends the parse of a file that is not worth reading on; its problem is already noted.
struct Abandoned {};

/// Builds the tree from parser events.
class TreeBuilder : public YAML::EventHandler {
 public:
  TreeBuilder(const std::string& file, Problems& problems, std::size_t& nodes_left)
      : file_(file), problems_(problems), nodes_left_(nodes_left) {}

  ConfigNode take() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override { leaf(mark, anchor, ConfigNode::Kind::null, ""); }
  void OnScalar(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor, const std::string& value) override {
    leaf(mark, anchor, ConfigNode::Kind::scalar, value);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor, YAML::EmitterStyle::value) override {
    open(mark, anchor, ConfigNode::Kind::list);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor, YAML::EmitterStyle::value) override {
    open(mark, anchor, ConfigNode::Kind::map);
  }
  void OnMapEnd() override { close(); }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) give_up(mark, "expected an alias of something complete, found one of itself");
    count(mark, found->second.nodes);
    add(mark, found->second.node);
  }

 private:
  struct Open {
    ConfigNode node;
    YAML::anchor_t anchor;
    std::size_t nodes_before;
    bool has_key = false;
    bool drop_value = false;  // of a key already reported
    std::string key;
    int key_line = 0, key_column = 0;
    std::unordered_map<std::string, int> lines{};  // of the keys seen
  };
  struct Anchored {
    ConfigNode node;
    std::size_t nodes;
  };

  [[noreturn]] void give_up(const YAML::Mark& mark, const std::string& message) {
    problems_.push_back({file_, mark.line + 1, mark.column + 1, "", message});
    throw Abandoned{};
  }

  void count(const YAML::Mark& mark, std::size_t nodes) {
    if (nodes > nodes_left_) give_up(mark, "expected at most " + std::to_string(kMaxConfigNodes) + " entries, found more");
    nodes_left_ -= nodes;
    nodes_ += nodes;
  }

  ConfigNode made(const YAML::Mark& mark, ConfigNode::Kind kind) const {
    ConfigNode node;
    node.kind = kind;
    node.file = file_;
    node.line = mark.line + 1;
    node.column = mark.column + 1;
    return node;
  }

  void leaf(const YAML::Mark& mark, YAML::anchor_t anchor, ConfigNode::Kind kind, const std::string& text) {
    count(mark, 1);
    ConfigNode node = made(mark, kind);
    node.scalar = text;
    if (anchor != 0) keep(mark, anchor, node, 1);
    add(mark, std::move(node));
  }

  void open(const YAML::Mark& mark, YAML::anchor_t anchor, ConfigNode::Kind kind) {
    count(mark, 1);
    if (open_.size() >= kMaxDepth) give_up(mark, "expected at most " + std::to_string(kMaxDepth) + " levels, found more");
    // A map or list in the place of a key has nowhere to go.
    if (expects_key()) give_up(mark, "expected a name as key, found a list or map");
    open_.push_back({made(mark, kind), anchor, nodes_ - 1});
  }

  void close() {
    Open done = std::move(open_.back());
    open_.pop_back();
    YAML::Mark mark;
    mark.line = done.node.line - 1;
    mark.column = done.node.column - 1;
    if (done.anchor != 0) keep(mark, done.anchor, done.node, nodes_ - done.nodes_before);
    add(mark, std::move(done.node));
  }

  /// The copy for later aliases is as large as what it copies.
  void keep(const YAML::Mark& mark, YAML::anchor_t anchor, const ConfigNode& node, std::size_t nodes) {
    count(mark, nodes);
    anchors_[anchor] = {node, nodes};
  }

  bool expects_key() const { return !open_.empty() && open_.back().node.kind == ConfigNode::Kind::map && !open_.back().has_key; }

  void add(const YAML::Mark& mark, ConfigNode node) {
    if (open_.empty()) {
      root_ = std::move(node);
    } else if (open_.back().node.kind == ConfigNode::Kind::list) {
      open_.back().node.items.push_back(std::move(node));
    } else if (expects_key()) {
      take_key(mark, node);
    } else {
      take_value(std::move(node));
    }
  }

  void take_key(const YAML::Mark& mark, const ConfigNode& node) {
    Open& map = open_.back();
    if (node.kind != ConfigNode::Kind::scalar) give_up(mark, "expected a name as key, found none");
    map.has_key = true;
    map.key = node.scalar;
    map.key_line = mark.line + 1;
    map.key_column = mark.column + 1;
    const auto [first, fresh] = map.lines.emplace(map.key, map.key_line);
    map.drop_value = !fresh;
    if (!fresh) {
      problems_.push_back({file_, map.key_line, map.key_column, map.key,
                           "expected each key once, found it again (first in line " + std::to_string(first->second) + ")"});
    }
    if (map.lines.size() > kMaxKeys) give_up(mark, "expected at most " + std::to_string(kMaxKeys) + " keys in one group, found more");
  }

  void take_value(ConfigNode node) {
    Open& map = open_.back();
    map.has_key = false;
    if (map.drop_value) return;
    // Problems with the value of a key are shown at the key.
    node.line = map.key_line;
    node.column = map.key_column;
    map.node.entries.push_back({map.key, std::move(node)});
  }

  const std::string& file_;
  Problems& problems_;
  std::size_t& nodes_left_;
  ConfigNode root_;
  std::vector<Open> open_;
  std::unordered_map<YAML::anchor_t, Anchored> anchors_;
  std::size_t nodes_ = 0;
};

bool read_text(const std::string& file, std::string& text, Problems& problems) {
  const auto refuse = [&](const std::string& message) {
    problems.push_back({file, 0, 0, "", message});
    return false;
  };
  std::error_code error;
  if (!fs::exists(file, error)) return refuse("expected a file, found nothing there");
  if (!fs::is_regular_file(file, error)) return refuse("expected a file, found a folder or device");
  const std::uintmax_t size = fs::file_size(file, error);
  if (size > kMaxFileBytes) return refuse("expected at most 16 MiB of configuration, found " + std::to_string(size) + " bytes");
  std::ifstream in(file, std::ios::binary);
  if (!in) return refuse(std::string("expected a readable file, found: ") + std::strerror(errno));
  text.assign(std::istreambuf_iterator<char>(in), {});
  if (text.find('\0') != std::string::npos) return refuse("expected text, found binary data");
  return true;
}

}  // namespace

ConfigNode read_yaml_file(const std::string& file, Problems& problems, std::size_t& nodes_left) {
  ConfigNode root;
  root.file = file;
  std::string text;
  if (!read_text(file, text, problems)) return root;
  TreeBuilder builder(file, problems, nodes_left);
  try {
    // yaml-cpp lets the end of the file close an open quote; it does not let the end of the document do so.
    std::istringstream stream(text + "\n...\n");
    YAML::Parser parser(stream);
    const bool any = parser.HandleNextDocument(builder);
    if (any) root = builder.take();
    if (root.kind == ConfigNode::Kind::null) {
      problems.push_back({file, 1, 1, "", "expected keys and values, found an empty file"});
    } else if (root.kind != ConfigNode::Kind::map) {
      problems.push_back({file, 1, 1, "", "expected keys and values, found something else"});
    }
    TreeBuilder rest(file, problems, nodes_left);
    if (any && parser.HandleNextDocument(rest)) problems.push_back({file, rest.take().line, 0, "", "expected one YAML document, found a second"});
  } catch (const Abandoned&) {
    root = builder.take();
  } catch (const YAML::Exception& error) {
    problems.push_back({file, error.mark.line + 1, error.mark.column + 1, "", "expected YAML, found a mistake: " + error.msg});
  }
  root.file = file;
  return root;
}

}  // namespace npulab
