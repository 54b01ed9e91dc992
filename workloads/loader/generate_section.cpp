// SPDX-License-Identifier: Apache-2.0
#include "workloads/loader/generate_section.h"

namespace npulab::loader {

void GenerateSection::read(ConfigReader reader, const std::map<std::string, std::string>& overrides, Problems& problems) {
  const std::vector<std::string> names = kernels::generator_names();
  std::map<std::string, std::string> given;
  const int chosen = reader.choice("kernel", names);
  for (const std::string& key : reader.keys()) {
    if (key != "kernel") given[key] = reader.text(key);
  }
  const ConfigNode* kernel = reader.node().find("kernel");
  if (kernel == nullptr || kernel->scalar != names[static_cast<std::size_t>(chosen)]) return;  // said above
  for (const auto& [name, value] : overrides) given[name] = value;
  place_ = {kernel->file, kernel->line, kernel->column, "generate", ""};
  generator_ = kernels::find_generator(kernel->scalar);
  std::vector<kernels::OptionProblem> wrong;
  options_ = kernels::resolve_options(*generator_, given, wrong);
  for (const kernels::OptionProblem& problem : wrong) {
    if (overrides.count(problem.option) == 0) reader.problem(problem.option, problem.message);
    else problems.push_back({"--set", 0, 0, "workload." + problem.option, problem.message});
  }
}

Workload GenerateSection::generate(const SocSpec& soc) const {
  try {
    return generator_->make(soc, options_);
  } catch (const UserError& error) {
    std::vector<Diagnostic> placed = error.diagnostics();
    for (Diagnostic& diagnostic : placed) {
      if (!diagnostic.file.empty()) continue;
      diagnostic.file = place_.file;
      diagnostic.line = place_.line;
      diagnostic.column = place_.column;
      diagnostic.key = diagnostic.key.empty() ? place_.key : place_.key + '.' + diagnostic.key;
    }
    throw UserError(placed);
  }
}

}  // namespace npulab::loader
