// SPDX-License-Identifier: Apache-2.0
// Typed reading of one map of a configuration tree. Problems are collected, never thrown; a key that nobody asked for is a
// problem too (finish()).
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "model/base/config_node.h"
#include "model/base/quantity.h"

namespace npulab {

/// Told of each quantity read, with the evidence and source written beside it.
using QuantitySink = std::function<void(const std::string& path, const std::string& value, const std::string& evidence,
                                        const std::string& source, const ConfigNode& node)>;

/// What all readers of one file share.
struct ConfigContext {
  Problems& problems;
  QuantitySink sink;               // may be empty
  bool evidence_required = false;  // quantities must carry evidence and source
};

class ConfigReader {
 public:
  static constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();

  ConfigReader(const ConfigNode& node, std::string path, ConfigContext& context);

  /// Whether the key is written; does not count as asking for it.
  bool has(const std::string& key) const { return node_->find(key) != nullptr; }
  /// All keys, in file order.
  std::vector<std::string> keys() const;
  const ConfigNode& node() const { return *node_; }
  const std::string& path() const { return path_; }

  /// A map below; reading from a missing one reports it once and yields defaults.
  ConfigReader map(const std::string& key);
  /// The maps of a list.
  std::vector<ConfigReader> list(const std::string& key, bool required = true);
  /// A scalar as written; "" when it is missing, which is a problem.
  std::string text(const std::string& key);
  std::string text(const std::string& key, const std::string& fallback);
  /// The scalars of a list.
  std::vector<std::string> texts(const std::string& key, bool required = true);
  /// true or false; other words are problems.
  bool flag(const std::string& key, bool fallback);
  /// Index into `names`; required when there is no `fallback`.
  int choice(const std::string& key, const std::vector<std::string>& names, int fallback = -1);
  /// In the integer unit of `unit`, from `least` to `most` and never above largest_of(unit); `least` when it cannot be read.
  std::int64_t quantity(const std::string& key, Unit unit, std::int64_t least = 1, std::int64_t most = kNoLimit);
  std::int64_t quantity_or(const std::string& key, Unit unit, std::int64_t fallback, std::int64_t least = 0,
                           std::int64_t most = kNoLimit);

  /// A problem with `key`: "expected ..., found ..."; nothing when the whole map is missing, which is reported already.
  void problem(const std::string& key, const std::string& message);
  /// Reports keys that were never asked for.
  void finish();

 private:
  struct Written { std::string value, evidence, source; };

  const ConfigNode* ask(const std::string& key, bool required);
  bool written_quantity(const std::string& key, const ConfigNode& node, Written& written);
  void check_evidence(const Written& written, ConfigReader& inner);
  bool scalar_of(const ConfigNode& node, const std::string& key, std::string& text);

  const ConfigNode* node_;
  std::string path_;
  ConfigContext* context_;
  std::vector<std::string> asked_;
  bool missing_ = false;  // stands for a map that is not there
};

}  // namespace npulab
