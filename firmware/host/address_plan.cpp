// SPDX-License-Identifier: Apache-2.0
#include "firmware/host/address_plan.h"

#include <algorithm>

#include "model/contract/config_registers.h"

namespace npulab::firmware::host {
namespace {

/// Lays out one kind of memory (prefetchable or not) of a tree.
class Layout {
 public:
  Layout(std::vector<PciFunction>& functions, bool prefetchable)
      : functions_(functions), prefetchable_(prefetchable), boxes_(functions.size()) {}

  /// Places everything from `base` on; false when it does not end before `end`.
  bool place(std::uint64_t base, std::uint64_t end, std::vector<AddressWindow>& windows) {
    std::vector<Item> roots;
    for (std::size_t i = 0; i < functions_.size(); ++i) {
      if (functions_[i].parent < 0) add_items(static_cast<int>(i), roots);
    }
    const Box whole = pack(roots);
    if (whole.size > end - base) return false;
    windows.assign(functions_.size(), {});
    settle(roots, base, windows);
    return true;
  }

 private:
  struct Item {
    int function;
    int bar;  // -1: a bridge's window
    std::uint64_t size, alignment;
    std::uint64_t offset = 0;
  };
  struct Box {
    std::uint64_t size = 0, alignment = 1;
    std::vector<Item> items;
  };

  void add_items(int index, std::vector<Item>& items) {
    PciFunction& function = functions_[static_cast<std::size_t>(index)];
    if (!function.problem.empty()) return;
    if (function.bridge) {
      Box& box = boxes_[static_cast<std::size_t>(index)];
      box = {};
      std::vector<Item> below;
      for (int child : function.children) add_items(child, below);
      box = pack(below);
      box.items = below;
      box.size = round_to(box.size, config::kWindowGranule);
      box.alignment = std::max(box.alignment, config::kWindowGranule);
      if (box.size > 0) items.push_back({index, -1, box.size, box.alignment});
      return;
    }
    for (std::size_t i = 0; i < function.bars.size(); ++i) {
      const PciBar& bar = function.bars[i];
      if (bar.prefetchable == prefetchable_) items.push_back({index, static_cast<int>(i), bar.size, bar.size});
    }
  }

  static std::uint64_t round_to(std::uint64_t value, std::uint64_t step) { return (value + step - 1) / step * step; }

  static Box pack(std::vector<Item>& items) {
    std::stable_sort(items.begin(), items.end(), [](const Item& a, const Item& b) { return a.alignment > b.alignment; });
    Box box;
    for (Item& item : items) {
      item.offset = round_to(box.size, item.alignment);
      box.size = item.offset + item.size;
      box.alignment = std::max(box.alignment, item.alignment);
    }
    return box;
  }

  void settle(const std::vector<Item>& items, std::uint64_t base, std::vector<AddressWindow>& windows) {
    for (const Item& item : items) {
      const std::size_t index = static_cast<std::size_t>(item.function);
      const std::uint64_t at = base + item.offset;
      if (item.bar >= 0) {
        functions_[index].bars[static_cast<std::size_t>(item.bar)].address = at;
      } else {
        windows[index] = {at, item.size};
        settle(boxes_[index].items, at, windows);
      }
    }
  }

  std::vector<PciFunction>& functions_;
  bool prefetchable_;
  std::vector<Box> boxes_;
};

void place(std::vector<PciFunction>& functions, bool prefetchable, std::uint64_t base, std::uint64_t end, std::vector<AddressWindow>& windows) {
  while (!Layout(functions, prefetchable).place(base, end, windows)) {
    const auto needy = std::find_if(functions.rbegin(), functions.rend(), [&](const PciFunction& function) {
      return function.problem.empty() && std::any_of(function.bars.begin(), function.bars.end(), [&](const PciBar& bar) { return bar.prefetchable == prefetchable; });
    });
    if (needy == functions.rend()) return;
    needy->problem = std::string("no room for its BARs in the ") + (prefetchable ? "prefetchable" : "32-bit") + " address space";
    for (PciBar& bar : needy->bars) bar.address = 0;
  }
}

}  // namespace

AddressPlan plan_addresses(std::vector<PciFunction>& functions) {
  AddressPlan plan;
  place(functions, true, kPrefetchSpace, kPrefetchSpaceEnd, plan.prefetch);
  place(functions, false, kMemorySpace, kMemorySpaceEnd, plan.memory);
  return plan;
}

}  // namespace npulab::firmware::host
