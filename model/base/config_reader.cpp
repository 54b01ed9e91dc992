// SPDX-License-Identifier: Apache-2.0
#include "model/base/config_reader.h"

#include <algorithm>

#include "model/base/nearest_name.h"

namespace npulab {
namespace {

constexpr std::size_t kShown = 60;  // characters of a wrong value that a message repeats

const ConfigNode& empty_node() {
  static const ConfigNode node;
  return node;
}

const char* kind_name(ConfigNode::Kind kind) {
  static const char* const names[] = {"nothing", "a value", "a list", "a group of keys"};
  return names[static_cast<int>(kind)];
}

}  // namespace

ConfigReader::ConfigReader(const ConfigNode& node, std::string path, ConfigContext& context)
    : node_(&node), path_(std::move(path)), context_(&context) {}

std::vector<std::string> ConfigReader::keys() const {
  std::vector<std::string> keys;
  for (const ConfigNode::Entry& entry : node_->entries) keys.push_back(entry.key);
  return keys;
}

void ConfigReader::problem(const std::string& key, const std::string& message) {
  if (missing_) return;  // reported where it is missing; whatever follows from that helps nobody
  const ConfigNode* at = node_->find(key);
  if (at == nullptr) at = node_;
  const std::string full = path_.empty() ? key : key.empty() ? path_ : path_ + '.' + key;
  if (at->overridden) context_->problems.push_back({"--set", 0, 0, full, message});
  else context_->problems.push_back({at->file, at->line, at->column, full, message});
}

const ConfigNode* ConfigReader::ask(const std::string& key, bool required) {
  asked_.push_back(key);
  const ConfigNode* found = node_->find(key);
  if (found == nullptr && required) problem(key, "expected this key, found nothing");
  return found;
}

ConfigReader ConfigReader::map(const std::string& key) {
  const ConfigNode* found = ask(key, true);
  const std::string path = path_.empty() ? key : path_ + '.' + key;
  if (found != nullptr && found->kind == ConfigNode::Kind::map) return ConfigReader(*found, path, *context_);
  if (found != nullptr) problem(key, std::string("expected a group of keys, found ") + kind_name(found->kind));
  ConfigReader reader(empty_node(), path, *context_);
  reader.missing_ = true;
  return reader;
}

std::vector<ConfigReader> ConfigReader::list(const std::string& key, bool required) {
  std::vector<ConfigReader> readers;
  const ConfigNode* found = ask(key, required);
  if (found == nullptr) return readers;
  if (found->kind != ConfigNode::Kind::list) {
    problem(key, std::string("expected a list, found ") + kind_name(found->kind));
    return readers;
  }
  const std::string path = path_.empty() ? key : path_ + '.' + key;
  for (std::size_t i = 0; i < found->items.size(); ++i) {
    if (found->items[i].kind == ConfigNode::Kind::map) readers.emplace_back(found->items[i], path + '.' + std::to_string(i), *context_);
    else problem(key, "expected groups of keys in the list, found " + std::string(kind_name(found->items[i].kind)) + " as entry " + std::to_string(i));
  }
  return readers;
}

bool ConfigReader::scalar_of(const ConfigNode& node, const std::string& key, std::string& text) {
  if (node.kind == ConfigNode::Kind::scalar) {
    text = node.scalar;
    return true;
  }
  problem(key, std::string("expected a value, found ") + kind_name(node.kind));
  return false;
}

std::string ConfigReader::text(const std::string& key) {
  std::string value;
  const ConfigNode* found = ask(key, true);
  if (found != nullptr) scalar_of(*found, key, value);
  return value;
}

std::string ConfigReader::text(const std::string& key, const std::string& fallback) {
  std::string value = fallback;
  const ConfigNode* found = ask(key, false);
  if (found != nullptr) scalar_of(*found, key, value);
  return value;
}

std::vector<std::string> ConfigReader::texts(const std::string& key, bool required) {
  std::vector<std::string> values;
  const ConfigNode* found = ask(key, required);
  if (found == nullptr) return values;
  if (found->kind != ConfigNode::Kind::list) {
    problem(key, std::string("expected a list, found ") + kind_name(found->kind));
    return values;
  }
  for (const ConfigNode& item : found->items) {
    std::string value;
    if (scalar_of(item, key, value)) values.push_back(value);
  }
  return values;
}

bool ConfigReader::flag(const std::string& key, bool fallback) {
  const std::string value = text(key, fallback ? "true" : "false");
  if (value == "true") return true;
  if (value != "false") problem(key, "expected true or false, found '" + value.substr(0, kShown) + "'");
  return false;
}

int ConfigReader::choice(const std::string& key, const std::vector<std::string>& names, int fallback) {
  const ConfigNode* found = ask(key, fallback < 0);
  std::string value;
  if (found == nullptr || !scalar_of(*found, key, value)) return std::max(fallback, 0);
  const auto at = std::find(names.begin(), names.end(), value);
  if (at != names.end()) return static_cast<int>(at - names.begin());
  std::string all;
  for (const std::string& name : names) all += (all.empty() ? "" : ", ") + name;
  problem(key, "expected one of " + all + ", found '" + value.substr(0, kShown) + "'" + nearest_hint(value, names));
  return std::max(fallback, 0);
}

void ConfigReader::check_evidence(const Written& written, ConfigReader& inner) {
  static const std::vector<std::string> marks = {"measured", "documented", "derived", "assumed"};
  const ConfigNode* evidence = inner.node_->find("evidence");
  if (evidence != nullptr && evidence->kind == ConfigNode::Kind::scalar && std::find(marks.begin(), marks.end(), written.evidence) == marks.end()) {
    inner.problem("evidence", "expected measured, documented, derived or assumed, found '" + written.evidence.substr(0, kShown) + "'" +
                                  nearest_hint(written.evidence, marks));
  }
  const ConfigNode* source = inner.node_->find("source");
  if (source != nullptr && source->kind == ConfigNode::Kind::scalar && written.source.find_first_not_of(" \t") == std::string::npos) {
    inner.problem("source", "expected the name of a source, found an empty text");
  }
}

/// The text of a quantity in either form; false when there is none.
bool ConfigReader::written_quantity(const std::string& key, const ConfigNode& node, Written& written) {
  if (node.kind == ConfigNode::Kind::map) {
    ConfigReader inner(node, path_.empty() ? key : path_ + '.' + key, *context_);
    written = {inner.text("value"), inner.text("evidence"), inner.text("source")};
    check_evidence(written, inner);
    inner.finish();
    const ConfigNode* value = node.find("value");
    return value != nullptr && value->kind == ConfigNode::Kind::scalar;
  }
  if (!scalar_of(node, key, written.value)) return false;
  if (context_->evidence_required && !node.overridden) problem(key, "expected {value, evidence, source}, found a bare value");
  return true;
}

std::int64_t ConfigReader::quantity(const std::string& key, Unit unit, std::int64_t least, std::int64_t most) {
  const ConfigNode* found = ask(key, true);
  Written written;
  if (found == nullptr || !written_quantity(key, *found, written)) return least;
  std::int64_t value = least;
  std::string trouble;
  if (!parse_quantity(written.value, unit, value, trouble)) {
    problem(key, trouble);
    return least;
  }
  most = std::min(most, largest_of(unit));
  if (value < least || value > most) {
    const std::string bound = value < least ? "at least " + quantity_text(least, unit) : "at most " + quantity_text(most, unit);
    problem(key, "expected " + bound + ", found '" + written.value + "' (" + (value < least ? "too small" : "too large") + ")");
    return least;
  }
  if (found->overridden) written = {written.value, "overridden", "--set"};
  if (context_->sink) context_->sink(path_.empty() ? key : path_ + '.' + key, written.value, written.evidence, written.source, *found);
  return value;
}

std::int64_t ConfigReader::quantity_or(const std::string& key, Unit unit, std::int64_t fallback, std::int64_t least, std::int64_t most) {
  if (has(key)) return quantity(key, unit, least, most);
  asked_.push_back(key);
  return fallback;
}

void ConfigReader::finish() {
  for (const ConfigNode::Entry& entry : node_->entries) {
    if (std::find(asked_.begin(), asked_.end(), entry.key) != asked_.end()) continue;
    problem(entry.key, "expected no such key here" + nearest_hint(entry.key, asked_));
  }
}

}  // namespace npulab
