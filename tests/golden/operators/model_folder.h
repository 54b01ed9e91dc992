// SPDX-License-Identifier: Apache-2.0
// The shared models on disk: which network, which samples, what the outputs must be and how exactly.
#pragma once

#include <string>
#include <vector>

#include "model/spec/soc_spec.h"
#include "workloads/graph/graph.h"

namespace npulab::test {

/// Root of the shared models: $NPULAB_MODELS, or the place they have on the project's machines.
std::string models_root();
/// False when the models are not on this machine; tests then skip and say so.
bool have_models();

/// input_0.pb, input_1.pb, ... of a sample folder, and likewise for "output".
std::vector<std::string> numbered_files(const std::string& folder, const std::string& what);
/// test_data_set_0, test_data_set_1, ... of a model folder.
std::vector<std::string> sample_folders(const std::string& model_folder);

/// Largest difference between two tensors: in steps of integers, or relative (times 1e6) for floats.
std::int64_t largest_difference(const graph::Tensor& expected, const std::vector<std::uint8_t>& found);

/// The chip of a shipped board file, by the board's name without "card_" and ".yaml".
SocSpec chip_of(const std::string& board);

}  // namespace npulab::test
