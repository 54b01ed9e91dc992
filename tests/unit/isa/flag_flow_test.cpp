// SPDX-License-Identifier: Apache-2.0
// Flags, queues and cross-core flags: for each rule a program that breaks it and one that just keeps it.
#include <gtest/gtest.h>

#include "model/isa/ktrace.h"
#include "model/isa/program_builder.h"
#include "model/isa/program_checker.h"
#include "tests/unit/isa/small_soc.h"

namespace npulab::isa::test {
namespace {

std::string check(const SocSpec& soc, const std::string& text, const CheckLimits& limits = {}) {
  std::string joined;
  for (const Diagnostic& d : ProgramChecker(soc, limits).check(parse_ktrace("npulab-ktrace 1\nkernel k\n" + text, "f"), "f")) joined += to_string(d) + '\n';
  return joined;
}

std::string one_core(const std::string& body, const SocSpec& soc = split_soc()) {
  return check(soc, "program cube p {\n" + body + "}\nblock cube=p\n");
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(FlagFlow, a_pair_is_fine_and_each_half_alone_is_not) {
  EXPECT_EQ(one_core("set_flag mte2 mte1 0\nwait_flag mte2 mte1 0\n"), "");
  const std::string left = one_core("set_flag mte2 mte1 0\n");
  EXPECT_TRUE(has(left, "f:4: block 0 cube, program 'p' instruction 0 set_flag: expected a wait for mte2->mte1 event 0")) << left;
  const std::string stuck = one_core("wait_flag mte2 mte1 3\n");
  EXPECT_TRUE(has(stuck, "f:4: block 0 cube, program 'p' instruction 0 wait_flag: expected a set of mte2->mte1 event 3, found none that can come: mte1 waits for ever")) << stuck;
}

TEST(FlagFlow, events_and_directions_are_apart) {
  EXPECT_TRUE(has(one_core("set_flag mte2 mte1 0\nwait_flag mte2 mte1 1\n"), "event 1, found none that can come"));
  EXPECT_TRUE(has(one_core("set_flag mte2 mte1 0\nwait_flag mte1 mte2 0\n"), "mte1->mte2 event 0, found none that can come"));
}

// The classic mistake: nothing tells the setter that its last flag was taken.
TEST(FlagFlow, a_flag_set_again_needs_an_order_after_its_wait) {
  const std::string alone = one_core("loop i 2 {\nset_flag mte2 mte1 0\nwait_flag mte2 mte1 0\n}\n");
  EXPECT_TRUE(has(alone, "instruction 1 set_flag: expected the wait for mte2->mte1 event 0 to be over before the flag is set again, found nothing that orders them")) << alone;
  EXPECT_EQ(one_core("loop i 2 {\nset_flag mte2 mte1 0\nwait_flag mte2 mte1 0\nset_flag mte1 mte2 0\nwait_flag mte1 mte2 0\n}\n"), "");
  // Two events last for two rounds, not for three.
  EXPECT_EQ(one_core("loop i 2 {\nset_flag mte2 mte1 i%2\nwait_flag mte2 mte1 i%2\n}\n"), "");
  EXPECT_TRUE(has(one_core("loop i 3 {\nset_flag mte2 mte1 i%2\nwait_flag mte2 mte1 i%2\n}\n"), "found nothing that orders them"));
}

TEST(FlagFlow, a_flag_set_twice_before_its_wait_is_found) {
  const std::string twice = one_core("set_flag mte2 mte1 0\nset_flag mte2 mte1 0\nwait_flag mte2 mte1 0\nwait_flag mte2 mte1 0\n");
  EXPECT_TRUE(has(twice, "expected mte2->mte1 event 0 to have been waited for since instruction 0 (line 4) set it, found it still set")) << twice;
}

// Orders can go through other pipes, the dispatcher, or a barrier over all pipes.
TEST(FlagFlow, orders_are_followed_through_others) {
  const std::string pair = "set_flag mte2 mte1 0\nwait_flag mte2 mte1 0\n";
  EXPECT_EQ(one_core(pair + "set_flag mte1 m 0\nwait_flag mte1 m 0\nset_flag m mte2 0\nwait_flag m mte2 0\n" + pair), "");
  EXPECT_TRUE(has(one_core(pair + "set_flag mte1 m 0\nwait_flag mte1 m 0\nset_flag fix mte2 0\nwait_flag fix mte2 0\n" + pair), "nothing that orders"));
  EXPECT_EQ(one_core(pair + "set_flag mte1 s 0\nwait_flag mte1 s 0\n" + pair), "");
  EXPECT_EQ(one_core(pair + "pipe_barrier all\n" + pair), "");
  EXPECT_TRUE(has(one_core(pair + "pipe_barrier mte1\npipe_barrier mte2\n" + pair), "nothing that orders"));
  EXPECT_TRUE(has(one_core(pair + "scalar 1000000\n" + pair), "nothing that orders"));  // time is no order
  // An order from before the wait does not help.
  EXPECT_TRUE(has(one_core("set_flag mte2 mte1 0\nset_flag mte1 mte2 0\nwait_flag mte2 mte1 0\nwait_flag mte1 mte2 0\nset_flag mte2 mte1 0\nwait_flag mte2 mte1 0\n"), "nothing that orders"));
}

TEST(FlagFlow, what_was_dispatched_before_an_order_is_not_ordered_by_it) {
  // The second set waits in its queue while the dispatcher learns that the first was taken; only what is dispatched later knows.
  const std::string early = "set_flag mte2 mte1 0\nwait_flag mte2 mte1 0\n"
                            "wait_flag fix mte2 0\nset_flag mte2 mte1 0\n"          // queued behind fix
                            "set_flag mte1 s 0\nwait_flag mte1 s 0\n"
                            "set_flag fix mte2 0\nwait_flag mte2 mte1 0\n";
  // fix itself is sent after the dispatcher knew, so its flag carries the order to the queued set.
  EXPECT_EQ(one_core(early), "");
  const std::string ignorant = "set_flag mte2 mte1 0\nwait_flag mte2 mte1 0\nwait_flag fix mte2 0\nset_flag mte2 mte1 0\n"
                               "wait_flag m fix 0\nset_flag fix mte2 0\nset_flag m fix 0\n"  // no one here has heard of the wait
                               "set_flag mte1 s 0\nwait_flag mte1 s 0\nwait_flag mte2 mte1 0\n";
  EXPECT_TRUE(has(one_core(ignorant), "nothing that orders"));
}

TEST(FlagFlow, flags_that_wait_for_each_other_lock_up) {
  const std::string text = one_core("wait_flag m mte1 0\nset_flag mte1 m 0\nwait_flag mte1 m 0\nset_flag m mte1 0\n");
  EXPECT_TRUE(has(text, "instruction 0 wait_flag: expected a set of m->mte1 event 0")) << text;
  EXPECT_TRUE(has(text, "instruction 2 wait_flag: expected a set of mte1->m event 0")) << text;
  EXPECT_TRUE(has(one_core("wait_flag mte1 s 0\nset_flag mte1 s 0\n"), "s waits for ever"));
  EXPECT_TRUE(has(one_core("wait_flag m mte1 0\npipe_barrier all\nset_flag m mte1 0\n"), "expected every pipe to finish"));
}

/// MTE1 waits for M, which is set only after `n` more instructions of MTE1 have found room in the queue behind the wait.
std::string behind_a_wait(int n) {
  return "wait_flag m mte1 0\nloop i " + std::to_string(n) + " {\nload_2d l0a[0] l1[0] type=int8 repeats=1\n}\nset_flag m mte1 0\n";
}

TEST(FlagFlow, a_queue_that_is_too_short_locks_up) {
  for (int depth : {4, 32}) {
    EXPECT_EQ(one_core(behind_a_wait(depth - 1), split_soc(2, depth)), "") << depth;
    const std::string stuck = one_core(behind_a_wait(depth), split_soc(2, depth));
    EXPECT_TRUE(has(stuck, "expected room in the queue of mte1 (" + std::to_string(depth) + " deep), found it full for ever behind instruction 0 (line 4)")) << stuck;
  }
  // The same program is fine with deep queues and locks up with shallow ones.
  EXPECT_EQ(one_core(behind_a_wait(10), split_soc(2, 32)), "");
  EXPECT_NE(one_core(behind_a_wait(10), split_soc(2, 4)), "");
}

// Were room in a queue an order, the depth would hide the mistake: the second set cannot be dispatched before the first wait is over.
TEST(FlagFlow, room_in_a_queue_is_no_order) {
  std::string text = "set_flag mte2 mte1 0\nwait_flag mte2 mte1 0\n";
  for (int i = 0; i < 4; ++i) text += "load_2d l0a[0] l1[0] type=int8 repeats=1\n";
  text += "set_flag mte2 mte1 0\nwait_flag mte2 mte1 0\n";
  EXPECT_TRUE(has(one_core(text, split_soc(2, 1)), "nothing that orders"));
}

TEST(FlagFlow, blocks_that_differ_in_counts_or_events_are_followed_apart) {
  const auto text = [](const char* second) {
    return std::string("var n\nvar where\nprogram cube p {\nloop i n {\nset_flag mte2 mte1 i\n}\nwait_flag mte2 mte1 0\ncopy l1[where] gm[0] row_bytes=32\n}\n"
                       "block cube=p n=1 where=0\nblock cube=p ") + second + "\n";
  };
  EXPECT_EQ(check(split_soc(), text("n=1 where=32")), "");
  EXPECT_TRUE(has(check(split_soc(), text("n=2 where=0")), "block 1 cube"));
  EXPECT_TRUE(has(check(split_soc(), text("n=0 where=0")), "waits for ever"));
}

TEST(FlagFlow, programs_longer_than_the_limit_are_not_followed) {
  CheckLimits limits;
  limits.instructions = 1000;
  const auto text = [](const char* count) { return std::string("program cube p {\nloop i ") + count + " {\nscalar 1\n}\n}\nblock cube=p\n"; };
  // Each round is an instruction and an end of the loop.
  EXPECT_EQ(check(split_soc(), text("500"), limits), "");
  EXPECT_TRUE(has(check(split_soc(), text("501"), limits), "expected at most 1000 instructions"));
  EXPECT_TRUE(has(check(split_soc(), text("0x7fffffffffffffff"), limits), "expected at most 1000 instructions"));
  const std::string hollow = "program cube p {\nloop i 0x7fffffffffffffff {\n}\n}\nblock cube=p\n";
  EXPECT_TRUE(has(check(split_soc(), hollow), "expected at most 2000000000 instructions"));
}

std::string group(const std::string& cube, const std::string& vector, const std::string& blocks = "block cube=c vector=v\n", int groups = 2) {
  return check(split_soc(groups), "program cube c {\n" + cube + "}\nprogram vector v {\n" + vector + "}\n" + blocks);
}

TEST(CrossFlags, mode_2_goes_to_the_other_side) {
  EXPECT_EQ(group("cross_set fix 2 1\ncross_wait s 2\n", "cross_wait s 1\ncross_set mte3 2 2\n"), "");
  const std::string lost = group("cross_set fix 2 1\n", "cross_wait s 1\ncross_set mte3 2 2\n");
  EXPECT_TRUE(has(lost, "block 0 cube, program 'c': expected waits for every count of cross-core flag 2, found 1 left")) << lost;
  const std::string stuck = group("cross_wait s 2\n", "scalar 1\n");
  EXPECT_TRUE(has(stuck, "expected a set of cross-core flag 2, found none that can come: s waits for ever")) << stuck;
  EXPECT_TRUE(has(group("cross_set fix 2 1\n", "scalar 1\n", "block cube=c\n"), "expected a core of this block that receives the flag"));
}

TEST(CrossFlags, the_cube_hears_both_vector_cores_or_the_only_one) {
  const std::string blocks = "program vector quiet {\nscalar 1\n}\n";
  EXPECT_TRUE(has(group("cross_wait s 1\n", "cross_set mte3 2 1\n", blocks + "block cube=c vector0=v vector1=quiet\n"), "waits for ever"));
  EXPECT_EQ(group("cross_wait s 1\n", "cross_set mte3 2 1\n", "block cube=c vector0=v\n"), "");
}

TEST(CrossFlags, mode_1_joins_the_vector_cores) {
  EXPECT_EQ(group("scalar 1\n", "cross_set mte3 1 1\ncross_wait s 1\n"), "");
  const std::string odd = "program vector odd {\ncross_set mte3 1 1\ncross_set mte3 1 1\ncross_wait s 1\n}\n";
  const std::string text = group("scalar 1\n", "cross_set mte3 1 1\ncross_wait s 1\n", odd + "block cube=c vector0=v vector1=odd\n");
  EXPECT_TRUE(has(text, "expected as many sets of cross-core flag 1 by every sender, found 1 more by this one")) << text;
}

TEST(CrossFlags, at_most_fifteen_counts_may_be_outstanding) {
  const auto text = [](int sets, const char* between) {
    const std::string n = std::to_string(sets);
    return group("loop i " + n + " {\ncross_set fix 2 1\n" + between + "}\n", "loop i " + n + " {\ncross_wait s 1\n" + (*between == '\0' ? "" : "cross_set mte3 2 2\n") + "}\n");
  };
  EXPECT_EQ(text(15, ""), "");
  EXPECT_TRUE(has(text(16, ""), "expected at most 15 counts of cross-core flag 1 not yet waited for by vector0, found nothing that keeps them apart"));
  EXPECT_EQ(text(100, "cross_wait fix 2\n"), "");
}

// All counts are taken in time here, but in the second case only timing sees to it.
TEST(CrossFlags, room_for_a_count_is_an_order_too) {
  const std::string vector = "loop i 8 {\ncross_set mte3 2 1\n}\ncross_set mte3 2 4\ncross_wait s 5\nloop i 8 {\ncross_set mte3 2 1\n}\n";
  const auto cube = [](const std::string& pipe) {
    return "loop i 8 {\ncross_wait mte2 1\n}\ncross_wait " + pipe + " 4\ncross_set " + pipe + " 2 5\nloop i 8 {\ncross_wait mte2 1\n}\n";
  };
  EXPECT_EQ(group(cube("mte2"), vector), "");
  EXPECT_TRUE(has(group(cube("fix"), vector), "expected at most 15 counts of cross-core flag 1 not yet waited for by cube"));
}

TEST(CrossFlags, what_was_queued_before_an_order_is_not_ordered_by_it) {
  const std::string pair = "set_flag mte2 mte1 0\nwait_flag mte2 mte1 0\n", learns = "set_flag mte1 s 0\nwait_flag mte1 s 0\n";
  const std::string queued = "cross_wait mte2 1\nset_flag mte2 mte1 0\n", last = "wait_flag mte2 mte1 0\n", vector = "cross_set mte3 2 1\n";
  const std::string other = "set_flag m s 0\nwait_flag m s 0\n";  // the dispatcher has news to pass on, but not this
  EXPECT_EQ(group(pair + other + learns + queued + last, vector), "");
  EXPECT_TRUE(has(group(pair + other + queued + learns + last, vector), "nothing that orders"));
}

TEST(CrossFlags, one_pipe_of_a_core_waits_for_a_flag) {
  const std::string vector = "cross_set mte3 2 1\ncross_set mte3 2 1\n";
  EXPECT_EQ(group("cross_wait s 1\ncross_wait s 1\n", vector), "");
  EXPECT_TRUE(has(group("cross_wait s 1\ncross_wait mte2 1\n", vector), "expected one pipe of a core to wait for cross-core flag 1, found a second one"));
}

TEST(CrossFlags, orders_go_through_other_cores) {
  const std::string pair = "set_flag mte2 mte1 0\nwait_flag mte2 mte1 0\n";
  // mte1 tells the vector cores, they tell mte2.
  EXPECT_EQ(group(pair + "cross_set mte1 2 1\ncross_wait mte2 2\n" + pair, "cross_wait s 1\ncross_set mte3 2 2\n"), "");
  EXPECT_TRUE(has(group(pair + "cross_set m 2 1\ncross_wait mte2 2\n" + pair, "cross_wait s 1\ncross_set mte3 2 2\n"), "nothing that orders"));
}

TEST(CrossFlags, mode_0_joins_all_blocks_of_a_task) {
  const std::string all = "cross_set fix 0 1\ncross_wait s 1\n";
  EXPECT_EQ(group(all, "scalar 1\n", "blocks 2 cube=c\n"), "");
  const std::string quiet = "program cube quiet {\nscalar 1\n}\n";
  EXPECT_TRUE(has(group(all, "scalar 1\n", quiet + "block cube=c\nblock cube=quiet\n"), "waits for ever"));
  EXPECT_TRUE(has(group(all, "scalar 1\n", "blocks 3 cube=c\n"), "expected at most 2 blocks, since flags of mode 0 need all of them to run at once, found 3"));
  EXPECT_EQ(group(all, "scalar 1\n", "blocks 3 cube=c\n", 3), "");
  // The other side takes no part.
  EXPECT_EQ(group(all, "scalar 1\n", "blocks 2 cube=c vector=v\n"), "");
  EXPECT_EQ(group("scalar 1\n", "cross_set mte3 0 1\ncross_wait s 1\n", "blocks 2 cube=c vector=v\n"), "");
}

}  // namespace
}  // namespace npulab::isa::test
