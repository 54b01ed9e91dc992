// SPDX-License-Identifier: Apache-2.0
// A configuration file as a tree of our own that remembers where everything was written. `extends: FILE` in any map merges
// the named file under it (maps key by key; a quantity with its evidence and everything else replaced whole).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "model/base/errors.h"

namespace npulab {

struct ConfigNode {
  enum class Kind { null, scalar, list, map };
  struct Entry;

  Kind kind = Kind::null;
  std::string scalar;
  std::vector<ConfigNode> items;
  std::vector<Entry> entries;  // in file order
  std::string file;
  int line = 0;
  int column = 0;
  bool overridden = false;     // written by --set

  const ConfigNode* find(const std::string& key) const;
  ConfigNode* find(const std::string& key);
};

struct ConfigNode::Entry {
  std::string key;
  ConfigNode node;
};

/// Problems found so far, in the order of finding; readers add, the caller throws.
using Problems = std::vector<Diagnostic>;

/// Reads `file` with everything it extends. On any problem the tree holds what could be read.
ConfigNode read_config_file(const std::string& file, Problems& problems);

/// Sets the value at the dotted `path` as --set does; `*` stands for every key or entry, a number for an entry of a list.
/// A path that leads nowhere is a problem with a hint; a last key that is not there is added, and its reader decides.
void apply_override(ConfigNode& root, const std::string& path, const std::string& value, Problems& problems);

/// Throws UserError with all problems, if there are any.
void throw_problems(const Problems& problems);

}  // namespace npulab
