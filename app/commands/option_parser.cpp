// SPDX-License-Identifier: Apache-2.0
#include "app/commands/option_parser.h"

#include <iostream>

#include "model/base/errors.h"
#include "model/base/nearest_name.h"

namespace npulab::commands {

namespace po = boost::program_options;

OptionParser::OptionParser(std::string usage, std::string about, std::string example)
    : usage_(std::move(usage)), about_(std::move(about)), example_(std::move(example)) {
  options_.add_options()("help,h", "this text");
}

void OptionParser::positional(const std::string& name, int count) {
  if (count == 1) hidden_.add_options()(name.c_str(), po::value<std::string>());
  else hidden_.add_options()(name.c_str(), po::value<std::vector<std::string>>());
  positions_.add(name.c_str(), count);
}

bool OptionParser::parse(const std::vector<std::string>& arguments) {
  po::options_description all;
  all.add(options_).add(hidden_);
  try {
    po::store(po::command_line_parser(arguments).options(all).positional(positions_).run(), values_);
    po::notify(values_);
  } catch (const po::unknown_option& error) {
    std::vector<std::string> names;
    for (const auto& option : options_.options()) names.push_back("--" + option->long_name());
    throw UserError("npulab " + usage_.substr(0, usage_.find(' ')) + ": expected an option, found '" + error.get_option_name() + "'" +
                    nearest_hint(error.get_option_name(), names));
  } catch (const po::error& error) {
    throw UserError("npulab " + usage_.substr(0, usage_.find(' ')) + ": " + error.what());
  }
  if (!has("help")) return true;
  std::cout << "npulab " << usage_ << "\n\n" << about_ << "\n\n" << options_ << "\nExample:\n  " << example_ << '\n';
  return false;
}

std::string OptionParser::required(const std::string& name) const {
  if (!has(name)) throw UserError("npulab " + usage_.substr(0, usage_.find(' ')) + ": expected " + name + ", found nothing (npulab " + usage_ + ")");
  return get<std::string>(name);
}

}  // namespace npulab::commands
