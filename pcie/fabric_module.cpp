// SPDX-License-Identifier: Apache-2.0
#include "pcie/fabric_module.h"

namespace npulab::pcie {
namespace {

std::string last_part(const std::string& path) { return path.substr(path.rfind('.') + 1); }

/// A module becomes a child of the one whose constructor is running, so a subtree is built within its root's constructor.
class NodeModule : public PartModule {
 public:
  NodeModule(sc_core::sc_module_name name, const BoardSpec& board, std::size_t index) : PartModule(name) {
    const PcieNodeSpec& node = board.pcie[index];
    if (node.kind == PcieNodeSpec::Kind::switch_upstream || node.kind == PcieNodeSpec::Kind::endpoint) add(std::make_unique<LinkModule>("link"));
    if (node.kind == PcieNodeSpec::Kind::endpoint) {
      const SocSpec& soc = board.socs[static_cast<std::size_t>(board.devices[static_cast<std::size_t>(node.device)].soc)];
      for (int i = 0; i < soc.endpoint.dma_channels; ++i) add(std::make_unique<PartModule>(("dma" + std::to_string(i)).c_str()));
      add(std::make_unique<PartModule>("queues"));
      add(std::make_unique<PartModule>("msix"));
    }
    for (std::size_t i = index + 1; i < board.pcie.size(); ++i) {
      if (board.pcie[i].parent == static_cast<int>(index)) add(std::make_unique<NodeModule>(last_part(board.pcie[i].path).c_str(), board, i));
    }
  }

 private:
  struct LinkModule : PartModule {
    explicit LinkModule(sc_core::sc_module_name name) : PartModule(name) {
      add(std::make_unique<PartModule>("up"));
      add(std::make_unique<PartModule>("down"));
    }
  };
};

}  // namespace

FabricModules::FabricModules(const BoardSpec& board, Timeline& timeline, const std::vector<MemorySystem*>& memories, TraceSink* trace, bool functional)
    : fabric_(board, timeline, memories, trace, functional) {
  parts_.push_back(std::make_unique<PartModule>("root_complex"));
  for (std::size_t i = 0; i < board.pcie.size(); ++i) {
    if (board.pcie[i].parent < 0) parts_.push_back(std::make_unique<NodeModule>(last_part(board.pcie[i].path).c_str(), board, i));
  }
}

}  // namespace npulab::pcie
