// SPDX-License-Identifier: Apache-2.0
// Networks that cannot be used are refused in words, with the node's name and every problem; damaged files never crash.
#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "model/base/errors.h"
#include "tests/unit/workloads/lowered_model.h"
#include "tests/unit/workloads/model_builder.h"

namespace npulab::test {
namespace {

using graph::ElementType;
constexpr ElementType kS = ElementType::int8, kF = ElementType::fp32;

/// A small sound network: quantise, convolve, pool, flatten, multiply.
ModelBuilder sound_model() {
  std::mt19937 random(1);
  ModelBuilder b;
  b.input("image", kF, {1, 3, 8, 8});
  b.scale("s", 0.5f);
  b.zero("z", kS, 3);
  b.node("QuantizeLinear", {"image", "s", "z"}, {"x"});
  onnx::NodeProto& conv = b.node("QLinearConv",
                                 {"x", "s", "z", b.constant(random_tensor("w", kS, {4, 3, 3, 3}, random)), b.scale("ws", 0.01f),
                                  b.zero("wz", kS, 0), "s", "z"},
                                 {"c"});
  set(conv, "pads", Integers{1, 1, 1, 1});
  set(b.node("MaxPool", {"c"}, {"p"}), "kernel_shape", Integers{2, 2});
  b.node("Flatten", {"p"}, {"f"});
  b.node("QGemm", {"f", "s", "z", b.constant(random_tensor("g", kS, {196, 5}, random)), "ws", "wz", "", "s", "z"}, {"y"},
         "com.microsoft");
  b.output("y");
  return b;
}

std::string complaint(const std::string& file, const std::string& chip = "910b1") {
  try {
    graph::compile_network(file, test_chip(chip), {});
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

TEST(Import, takes_a_sound_network_of_any_ir_version) {
  ModelBuilder model = sound_model();
  EXPECT_EQ(complaint(model.save("sound.onnx")), "");
  model.model().set_ir_version(11);
  model.model().mutable_opset_import(0)->set_version(21);
  EXPECT_EQ(complaint(model.save("newer.onnx")), "");
}

TEST(Import, sorts_nodes_that_stand_in_any_order) {
  ModelBuilder model = sound_model();
  auto* nodes = model.model().mutable_graph()->mutable_node();
  for (int i = 0; i < nodes->size() / 2; ++i) nodes->SwapElements(i, nodes->size() - 1 - i);
  EXPECT_EQ(complaint(model.save("reversed.onnx")), "");
}

struct Fault {
  const char* name;
  std::function<void(onnx::ModelProto&)> inflict;
  std::vector<const char*> words;  // all must be in the message
};

onnx::NodeProto* node(onnx::ModelProto& model, int index) { return model.mutable_graph()->mutable_node(index); }

void set_dims(onnx::ModelProto& model, const std::string& name, const Integers& dims, bool keep_data = true) {
  for (auto& tensor : *model.mutable_graph()->mutable_initializer()) {
    if (tensor.name() != name) continue;
    tensor.clear_dims();
    for (std::int64_t extent : dims) tensor.add_dims(extent);
    if (!keep_data) tensor.clear_raw_data();
  }
}

const Fault kFaults[] = {
    {"unsupported_operators",
     [](auto& m) {
       node(m, 2)->set_op_type("AveragePool");
       node(m, 3)->set_op_type("Flaten");
       node(m, 4)->set_op_type("Attention");
     },
     {"MaxPool3", "AveragePool", "Flatten4", "Flaten, did you mean 'Flatten'", "QGemm5", "com.microsoft::Attention"}},
    {"missing_tensor", [](auto& m) { node(m, 1)->set_input(3, "nowhere"); }, {"QLinearConv2", "'nowhere'", "missing"}},
    {"cycle", [](auto& m) { node(m, 1)->set_input(0, "y"); }, {"QLinearConv2", "cycle"}},
    {"made_twice", [](auto& m) { node(m, 3)->set_output(0, "c"); }, {"Flatten4", "made once", "'c'"}},
    {"output_nobody_makes", [](auto& m) { m.mutable_graph()->mutable_output(0)->set_name("q"); }, {"output q"}},
    {"free_dimension",
     [](auto& m) {
       m.mutable_graph()->mutable_input(0)->mutable_type()->mutable_tensor_type()->mutable_shape()->mutable_dim(0)->set_dim_param(
           "N");
     },
     {"input image", "fixed positive dimensions"}},
    {"double_input",
     [](auto& m) {
       m.mutable_graph()->mutable_input(0)->mutable_type()->mutable_tensor_type()->set_elem_type(onnx::TensorProto::DOUBLE);
     },
     {"input image", "ONNX type 11"}},
    {"short_initialiser",
     [](auto& m) {
       set_dims(m, "w", {4, 3, 3, 4});
     },
     {"initialiser w", "expected 144 bytes", "found 108"}},
    {"huge_initialiser",
     [](auto& m) {
       set_dims(m, "w", {1 << 30, 1 << 30, 1 << 30, 1 << 30}, false);
     },
     {"initialiser w", "at most"}},
    {"channels_do_not_fit",
     [](auto& m) {
       set_dims(m, "w", {4, 9, 3, 1});
     },
     {"QLinearConv2", "expected channels that match"}},
    {"wrong_attribute_type",
     [](auto& m) { node(m, 1)->mutable_attribute(0)->set_type(onnx::AttributeProto::INT); },
     {"QLinearConv2", "pads", "a list of integers"}},
    {"unknown_attribute",
     [](auto& m) { node(m, 1)->mutable_attribute(0)->set_name("padz"); },
     {"QLinearConv2", "padz", "did you mean 'pads'"}},
    {"zero_point_of_another_type",
     [](auto& m) {
       m.mutable_graph()->mutable_initializer(1)->set_data_type(onnx::TensorProto::UINT8);
       node(m, 1)->set_input(5, "z");
     },
     {"QLinearConv2", "w_zero_point", "expected int8 as w has"}},
    {"negative_scale",
     [](auto& m) {
       const float s = -1;
       m.mutable_graph()->mutable_initializer(0)->set_raw_data(&s, 4);
     },
     {"scale 's'", "positive"}},
    {"two_problems",
     [](auto& m) {
       node(m, 0)->add_input("x1");
       node(m, 1)->mutable_attribute(0)->set_ints(0, 999);
       m.mutable_graph()->add_initializer()->CopyFrom(m.graph().initializer(0));
       m.mutable_graph()->mutable_initializer(m.graph().initializer_size() - 1)->set_name("x1");
     },
     {"QuantizeLinear1", "found 4"}},
    {"too_few_inputs", [](auto& m) { node(m, 4)->mutable_input()->RemoveLast(); }, {"QGemm5", "expected 9 to 9 inputs, found 8"}},
    {"zero_stride",
     [](auto& m) {
       set(*node(m, 2), "strides", Integers{0, 1});
     },
     {"MaxPool3", "strides"}},
    {"computed_weights", [](auto& m) { node(m, 1)->set_input(3, "x"); }, {"QLinearConv2", "w", "known at compile time"}},
    {"nothing_in_it",
     [](auto& m) {
       m.mutable_graph()->clear_node();
       m.mutable_graph()->clear_output();
     },
     {"at least one node"}},
};

class Faults : public testing::TestWithParam<Fault> {};

TEST_P(Faults, are_named) {
  ModelBuilder model = sound_model();
  GetParam().inflict(model.model());
  const std::string file = model.save(std::string(GetParam().name) + ".onnx"), message = complaint(file);
  EXPECT_NE(message.find(file), std::string::npos) << message;
  for (const char* word : GetParam().words)
    EXPECT_NE(message.find(word), std::string::npos) << "expected '" << word << "' in\n" << message;
}

INSTANTIATE_TEST_SUITE_P(Import, Faults, testing::ValuesIn(kFaults), [](const auto& info) { return std::string(info.param.name); });

TEST(Import, a_check_needs_no_chip) {
  EXPECT_TRUE(graph::check_network(sound_model().save("checked.onnx")).empty());
  ModelBuilder model = sound_model();
  set(*node(model.model(), 2), "strides", Integers{0, 1});
  const std::vector<Diagnostic> problems = graph::check_network(model.save("unchecked.onnx"));
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems.front().key, "MaxPool3");
}

TEST(Import, files_that_are_no_networks) {
  EXPECT_NE(complaint("/nowhere/at/all.onnx").find("found nothing there"), std::string::npos);
  EXPECT_NE(complaint("/tmp").find("found a folder"), std::string::npos);
  const std::string empty = temporary_file("empty.onnx"), text = temporary_file("text.onnx");
  write_bytes(empty, "");
  write_bytes(text, "this is no network at all, by any standard");
  for (const std::string& file : {empty, text}) EXPECT_NE(complaint(file).find("expected an ONNX model"), std::string::npos);
  const std::string whole = sound_model().bytes();
  for (std::size_t size = 1; size < whole.size(); size += 97) {
    const std::string cut = temporary_file("cut.onnx");
    write_bytes(cut, whole.substr(0, size));
    EXPECT_NE(complaint(cut), "") << size;
  }
}

TEST(Import, a_model_too_large_for_the_device_is_refused) {
  // Once by its tensors alone, once by what lowering adds to them.
  for (const Bytes capacity : {1024, 4096}) {
    SocSpec soc = test_chip("910b1");
    soc.memory.hbm.capacity = capacity;
    try {
      graph::compile_network(sound_model().save("large.onnx"), soc, {});
      FAIL() << "expected a UserError";
    } catch (const UserError& error) {
      EXPECT_NE(std::string(error.what()).find("fits into " + std::to_string(capacity) + " bytes"), std::string::npos) << error.what();
    }
  }
}

TEST(Import, a_tile_that_cannot_fit_names_its_node) {
  SocSpec soc = test_chip("910b1");
  soc.cube.buffers[static_cast<int>(isa::Space::l1)].capacity = 2048;
  try {
    graph::compile_network(sound_model().save("tile.onnx"), soc, {});
    FAIL() << "expected a UserError";
  } catch (const UserError& error) {
    EXPECT_NE(std::string(error.what()).find("QLinearConv2: expected the weights"), std::string::npos) << error.what();
  }
}

TEST(Import, damaged_files_never_crash) {
  const std::string whole = sound_model().bytes(), file = temporary_file("damaged.onnx");
  std::mt19937 random(5);
  const SocSpec soc = test_chip("910b1");
  int refused = 0;
  for (int i = 0; i < 1500; ++i) {
    std::string damaged = whole;
    for (std::uint32_t change = 0; change <= random() % 4; ++change) {
      const std::size_t at = random() % damaged.size();
      switch (random() % 4) {
        case 0: damaged[at] = static_cast<char>(random()); break;
        case 1: damaged[at] = static_cast<char>(damaged[at] ^ (1 << random() % 8)); break;
        case 2: damaged.erase(at, random() % 8); break;
        default: damaged.insert(at, damaged.substr(random() % damaged.size(), random() % 16)); break;
      }
    }
    write_bytes(file, damaged);
    try {
      graph::compile_network(file, soc, {});
    } catch (const UserError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 500);
  EXPECT_LT(refused, 1500);
}

}  // namespace
}  // namespace npulab::test
