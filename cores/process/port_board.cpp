// SPDX-License-Identifier: Apache-2.0
#include "cores/process/port_board.h"

#include <algorithm>

namespace npulab::cores {

PortBoard::PortBoard(sc_core::sc_module_name name, const GroupControl& control, const CoreSpec& spec)
    : sc_module(name), control_(control), spec_(spec) {
  SC_METHOD(settle);
  sensitive << changed_;
  dont_initialize();
}

Cycles PortBoard::execute(isa::Pipe pipe, const timing::InstructionCost& cost, Cycles start) {
  User& user = users_[static_cast<int>(pipe)];
  enter(pipe, cost, start);
  user.remaining = cost.work_cycles * timing::kFullSpeed;
  control_.wait_for(settled_);
  for (;;) {
    const Cycles end = user.settled + ceil_div(user.remaining, user.speed);
    control_.wait_until(end, settled_);
    const Cycles cycle = control_.cycle();
    account(cycle);
    if (user.remaining <= 0) {
      leave(pipe, cycle);
      return cycle;
    }
  }
}

void PortBoard::enter(isa::Pipe pipe, const timing::InstructionCost& cost, Cycles cycle) {
  account(cycle);
  User& user = users_[static_cast<int>(pipe)];
  user.cost = &cost;
  user.remaining = 0;
  user.speed = 0;
  user.settled = cycle;
  changed_.notify(sc_core::SC_ZERO_TIME);
}

void PortBoard::leave(isa::Pipe pipe, Cycles cycle) {
  account(cycle);
  users_[static_cast<int>(pipe)].cost = nullptr;
  changed_.notify(sc_core::SC_ZERO_TIME);
}

void PortBoard::clear() {
  for (User& user : users_) user = User{};
}

void PortBoard::account(Cycles cycle) {
  for (User& user : users_) {
    if (user.cost == nullptr || cycle <= user.settled) continue;
    user.remaining -= user.speed * (cycle - user.settled);
    user.settled = cycle;
  }
}

std::int64_t PortBoard::speed_of(const User& user) const {
  std::int64_t speed = timing::kFullSpeed;
  for (const timing::PortUse& use : user.cost->ports) {
    if (use.space == isa::Space::gm) continue;
    std::int64_t demand = 0;
    for (const User& other : users_) {
      if (other.cost == nullptr) continue;
      for (const timing::PortUse& others : other.cost->ports) {
        if (others.space == use.space) demand += others.milli_bytes_per_cycle;
      }
    }
    const std::int64_t capacity = spec_.buffers[static_cast<int>(use.space)].port_rate.milli_per_cycle;
    speed = std::min(speed, timing::port_speed(capacity, demand));
  }
  return speed;
}

void PortBoard::settle() {
  account(control_.cycle());
  for (User& user : users_) {
    if (user.cost != nullptr) user.speed = speed_of(user);
  }
  settled_.notify();
}

}  // namespace npulab::cores
