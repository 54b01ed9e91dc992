// SPDX-License-Identifier: Apache-2.0
#include "pcie/link/credit_ledger.h"

#include <gtest/gtest.h>

namespace npulab::pcie {
namespace {

TlpList equal_tlps(int count, Bytes payload) {
  TlpList tlps;
  for (int i = 0; i < count; ++i) tlps.add(12, payload);
  return tlps;
}

TEST(CreditLedger, headers_and_data_run_out_separately) {
  struct Row { int headers, data, count; Bytes payload; int covered; };
  // A data credit is 16 bytes; zero advertised is infinite.
  const Row rows[] = {{4, 0, 8, 256, 4}, {0, 32, 8, 256, 2}, {0, 0, 8, 256, 8}, {4, 16, 8, 0, 4}, {8, 5, 8, 17, 2}, {1, 1, 2, 16, 1}};
  for (const Row& row : rows) {
    CreditLedger ledger(row.headers, row.data);
    Picoseconds times[TlpList::kMost];
    EXPECT_EQ(ledger.cover(equal_tlps(row.count, row.payload), 0, times), row.covered);
  }
}

TEST(CreditLedger, an_announced_return_can_be_used_from_its_time_on) {
  CreditLedger ledger(2, 0);
  const TlpList tlps = equal_tlps(3, 64);
  ledger.consume(tlps, 2);
  Picoseconds times[TlpList::kMost];
  EXPECT_EQ(ledger.cover(equal_tlps(1, 64), 10, times), 0);
  ledger.give_back(500, 64);
  ledger.give_back(300, 64);  // announced later, free earlier
  ASSERT_EQ(ledger.cover(equal_tlps(3, 64), 10, times), 2);
  EXPECT_EQ(times[0], 300);
  EXPECT_EQ(times[1], 500);
  ASSERT_EQ(ledger.cover(equal_tlps(1, 64), 499, times), 1);
  EXPECT_EQ(times[0], 499);
}

TEST(CreditLedger, what_is_consumed_and_not_returned_is_in_flight) {
  CreditLedger ledger(8, 64);
  ledger.consume(equal_tlps(3, 100), 3);
  EXPECT_EQ(ledger.headers_in_flight(), 3);
  EXPECT_EQ(ledger.data_in_flight(), 21);  // 7 each
  ledger.give_back(5, 100);
  EXPECT_EQ(ledger.headers_in_flight(), 2);
  ledger.give_back(5, 100);
  ledger.give_back(5, 100);
  EXPECT_EQ(ledger.headers_in_flight(), 0);
  EXPECT_EQ(ledger.data_in_flight(), 0);
  EXPECT_EQ(ledger.most_headers(), 3);
}

}  // namespace
}  // namespace npulab::pcie
