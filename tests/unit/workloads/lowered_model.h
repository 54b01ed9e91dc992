// SPDX-License-Identifier: Apache-2.0
// A network of one output, lowered for a chip, proved by the checker, and run on unit effects without time.
#pragma once

#include <string>
#include <vector>

#include "model/spec/soc_spec.h"
#include "workloads/graph/compile.h"

namespace npulab::test {

/// A shipped chip ("910b1", ...), or "small_" and its name: the same with buffers of a few KiB and two groups a
/// kind, so that one core works through many slices and chunks.
SocSpec test_chip(const std::string& name);

class LoweredModel {
 public:
  /// Adds a test failure for every problem that the program checker finds.
  LoweredModel(const std::string& file, const SocSpec& soc, const std::vector<std::string>& input_files = {});

  /// Bytes of the first output.
  std::vector<std::uint8_t> reference(const std::vector<graph::Tensor>& inputs) const;
  std::vector<std::uint8_t> run(const std::vector<graph::Tensor>& inputs, std::uint32_t seed) const;
  const graph::CompiledNetwork& network() const { return network_; }

 private:
  SocSpec soc_;
  graph::CompiledNetwork network_;
};

}  // namespace npulab::test
