// SPDX-License-Identifier: Apache-2.0
// Program_options with our manners: positional words, --help with an example, mistakes as UserError with a hint.
#pragma once

#include <boost/program_options.hpp>

#include <string>
#include <vector>

namespace npulab::commands {

class OptionParser {
 public:
  /// `usage` follows "npulab "; `example` is shown below the options.
  OptionParser(std::string usage, std::string about, std::string example);

  boost::program_options::options_description_easy_init add() { return options_.add_options(); }
  /// The next positional argument; `count` -1 takes all that are left.
  void positional(const std::string& name, int count);
  /// False when --help was asked for (and printed). Throws UserError.
  bool parse(const std::vector<std::string>& arguments);

  bool has(const std::string& name) const { return values_.count(name) > 0; }
  template <typename T>
  T get(const std::string& name) const {
    return values_[name].as<T>();
  }
  std::vector<std::string> all(const std::string& name) const {
    return has(name) ? get<std::vector<std::string>>(name) : std::vector<std::string>{};
  }
  /// A positional argument that must be there.
  std::string required(const std::string& name) const;

 private:
  std::string usage_, about_, example_;
  boost::program_options::options_description options_{"Options"};
  boost::program_options::options_description hidden_;
  boost::program_options::positional_options_description positions_;
  boost::program_options::variables_map values_;
};

}  // namespace npulab::commands
