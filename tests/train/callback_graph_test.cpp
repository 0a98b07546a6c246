#include "base/torch.h"

#include "base/train/callback_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <set>

#include "base/log/error.h"

namespace base::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Mode = Model::Mode;

/// Passes its keys on, and notes that it was called.
class Node final : public Callback {
 public:
  struct Options {
    std::string name;
    std::vector<std::string> needs = {}, wants = {}, makes = {};
    bool stops = false;
    std::set<Mode> modes = {Mode::kTrain};
  };
  Node(Options options, std::vector<std::string>& calls) : options_(std::move(options)), calls_(calls) {}

  std::string name() const override { return options_.name; }
  bool runs_in(Mode mode) const override { return options_.modes.contains(mode); }
  std::vector<std::string> needs() const override { return options_.needs; }
  std::vector<std::string> wants() const override { return options_.wants; }
  std::vector<std::string> makes() const override { return options_.makes; }
  std::optional<Tensors> process(const Tensors& data, const TrainState& /*state*/, TrainControl& /*control*/) override {
    calls_.push_back(options_.name);
    for (const std::string& key : options_.needs)
      EXPECT_NE(data.find(key), nullptr) << options_.name << " lacks " << key;
    EXPECT_LE(data.size(), options_.needs.size() + options_.wants.size()) << "only what it asked for";
    if (options_.stops) return std::nullopt;
    Tensors made;
    for (const std::string& key : options_.makes) made.set(key, torch::ones({1}));
    return made;
  }

 private:
  Options options_;
  std::vector<std::string>& calls_;
};

struct Flow {
  CallbackGraph graph;
  std::vector<std::string> calls;
  SummaryWriter nowhere;
  TrainState state;
  TrainControl control{.summary = &nowhere};

  void add(const Node::Options& options) { graph.add(std::make_unique<Node>(options, calls)); }
  std::vector<std::string> process(const Tensors& data = {}) {
    calls.clear();
    graph.process(data, state, control);
    return calls;
  }
  std::string error(const Tensors& data = {}) {
    try {
      process(data);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kConfig) << error.what();
      return error.what();
    }
    return "none";
  }
};

TEST(CallbackGraph, CallsMakersFirst) {
  Flow run;
  run.add({.name = "last", .needs = {"b"}});
  run.add({.name = "middle", .needs = {"a", "image"}, .makes = {"b"}});
  run.add({.name = "first", .makes = {"a"}});
  EXPECT_THAT(run.process({{"image", torch::zeros({1})}}), ElementsAre("first", "middle", "last"));
}

TEST(CallbackGraph, KeepsTheOrderOfThoseThatDoNotDepend) {
  Flow run;
  run.add({.name = "one", .needs = {"image"}});
  run.add({.name = "two", .needs = {"image"}});
  run.add({.name = "three", .needs = {"image"}});
  EXPECT_THAT(run.process({{"image", torch::zeros({1})}}), ElementsAre("one", "two", "three"));
}

TEST(CallbackGraph, DoesNotCallForDataThoseWithoutKeys) {
  Flow run;
  run.add({.name = "keyless"});
  EXPECT_FALSE(run.graph.takes_data(Mode::kTrain));
  EXPECT_THAT(run.process(), ElementsAre());
}

TEST(CallbackGraph, CallsOnlyInTheModesOfEach) {
  Flow run;
  run.add({.name = "training", .needs = {"x"}});
  run.add({.name = "both", .needs = {"x"}, .modes = {Mode::kTrain, Mode::kEval}});
  run.state.mode = Mode::kEval;
  EXPECT_TRUE(run.graph.takes_data(Mode::kEval));
  EXPECT_FALSE(run.graph.takes_data(Mode::kInfer));
  EXPECT_THAT(run.process({{"x", torch::zeros({1})}}), ElementsAre("both"));
}

TEST(CallbackGraph, WantsDoNotBlock) {
  Flow run;
  run.add({.name = "taker", .wants = {"a", "nobody_makes_it"}});
  run.add({.name = "maker", .makes = {"a"}, .stops = true});
  EXPECT_THAT(run.process(), ElementsAre("maker", "taker"));
}

TEST(CallbackGraph, RefusesACircleByTheNamesInIt) {
  Flow run;
  run.add({.name = "apart", .makes = {"z"}});
  run.add({.name = "hen", .needs = {"egg"}, .makes = {"chicken"}});
  run.add({.name = "egg_layer", .needs = {"chicken"}, .makes = {"egg"}});
  const std::string message = run.error();
  EXPECT_THAT(message, HasSubstr("callbacks wait for each other's keys: hen, egg_layer"));
  EXPECT_THAT(message, HasSubstr("\n  fix: "));
}

TEST(CallbackGraph, RefusesAKeyMadeTwice) {
  Flow run;
  run.add({.name = "one", .makes = {"a"}});
  run.add({.name = "two", .makes = {"a"}});
  EXPECT_THAT(run.error(), HasSubstr("two callbacks make one key: a (one and two)"));
}

TEST(CallbackGraph, RefusesAMissingKeyAndSuggestsTheNearest) {
  Flow run;
  run.add({.name = "saver", .needs = {"imgae"}});
  EXPECT_THAT(
      run.error({{"image", torch::zeros({1})}, {"label", torch::zeros({1})}}),
      HasSubstr("nobody makes a key that a callback needs: imgae (for saver)\n  fix: did you mean `image`? there are "
                "image, label"));
}

TEST(CallbackGraph, RefusesAKeyThatIsMadeInAnotherModeOnly) {
  Flow run;
  run.add({.name = "maker", .makes = {"a"}});
  run.add({.name = "taker", .needs = {"a"}, .modes = {Mode::kEval}});
  run.state.mode = Mode::kEval;
  EXPECT_THAT(run.error(), HasSubstr("a (for taker)"));
}

TEST(CallbackGraph, RefusesTwoOfOneName) {
  Flow run;
  run.add({.name = "one"});
  EXPECT_THROW(run.add({.name = "one"}), Error);
}

/// A graph without circles: each callback needs keys of those before it in a hidden order, and is added in another.
struct RandomGraph {
  std::vector<Node::Options> nodes;
  std::vector<std::size_t> order;  // in which they are added
};

RandomGraph random_graph() {
  RandomGraph graph;
  const auto size = *rc::gen::inRange<std::size_t>(1, 12);
  for (std::size_t i = 0; i < size; ++i) {
    Node::Options node{.name = "n" + std::to_string(i), .makes = {"k" + std::to_string(i)}};
    for (std::size_t j = 0; j < i; ++j) {
      if (*rc::gen::inRange(0, 3) == 0) node.needs.push_back("k" + std::to_string(j));
    }
    node.stops = *rc::gen::inRange(0, 4) == 0;
    graph.nodes.push_back(node);
    graph.order.push_back(i);
  }
  for (std::size_t i = size; i > 1; --i)
    std::swap(graph.order[i - 1], graph.order[*rc::gen::inRange<std::size_t>(0, i)]);
  return graph;
}

RC_GTEST_PROP(CallbackGraph, RespectsKeysAndStopsExactlyTheDependents, ()) {
  const RandomGraph graph = random_graph();
  Flow run;
  for (const std::size_t i : graph.order) run.add(graph.nodes[i]);
  const std::vector<std::string> calls = run.process();
  std::set<std::string> expected;
  std::set<std::string> made;
  for (const Node::Options& node : graph.nodes) {
    if (!std::ranges::all_of(node.needs, [&](const auto& key) { return made.contains(key); })) continue;
    expected.insert(node.name);
    if (!node.stops) made.insert(node.makes.front());
  }
  RC_ASSERT(std::set<std::string>(calls.begin(), calls.end()) == expected);
  RC_ASSERT(calls.size() == expected.size());
  std::map<std::string, std::size_t> place;
  for (std::size_t i = 0; i < calls.size(); ++i) place[calls[i]] = i;
  for (const Node::Options& node : graph.nodes) {
    if (!place.contains(node.name)) continue;
    for (const std::string& key : node.needs) RC_ASSERT(place.at("n" + key.substr(1)) < place.at(node.name));
  }
}

RC_GTEST_PROP(CallbackGraph, RefusesEveryGraphWithACircle, ()) {
  RandomGraph graph = random_graph();
  const auto last = graph.nodes.size();
  const auto first = *rc::gen::inRange<std::size_t>(0, last);
  // A new one that needs the last of a chain and makes what the chain's first needs.
  graph.nodes[first].needs.push_back("k" + std::to_string(last));
  graph.nodes.push_back({.name = "n" + std::to_string(last),
                         .needs = {"k" + std::to_string(first)},
                         .makes = {"k" + std::to_string(last)}});
  Flow run;
  run.add(graph.nodes.back());
  for (const std::size_t i : graph.order) run.add(graph.nodes[i]);
  const std::string message = run.error();
  RC_ASSERT(message.find("wait for each other") != std::string::npos);
  RC_ASSERT(message.find(graph.nodes[first].name) != std::string::npos);
  RC_ASSERT(message.find(graph.nodes.back().name) != std::string::npos);
}

class Thrower final : public Callback {
 public:
  explicit Thrower(bool throws_error = false) : throws_error_(throws_error) {}
  std::string name() const override { return "thrower"; }
  void on_iteration_end(const TrainState& /*state*/, TrainControl& /*control*/) override {
    ++calls;
    if (throws_error_) throw Error(ErrorKind::kData, "it is broken", "glass", "glue it");
    throw std::runtime_error("out of luck");
  }
  int calls = 0;

 private:
  bool throws_error_;
};

TEST(CallbackGraph, NamesTheOneThatThrows) {
  for (const bool throws_error : {false, true}) {
    Flow run;
    run.graph.add(std::make_unique<Thrower>(throws_error));
    run.state.iteration = 17;
    run.state.epoch = 2;
    try {
      run.graph.fire(events::kIterationEnd, run.state, run.control);
      FAIL() << "nothing was thrown";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), throws_error ? ErrorKind::kData : ErrorKind::kTraining);
      EXPECT_THAT(error.what(),
                  HasSubstr("in: callback thrower, on_iteration_end, iteration 17 of epoch 3 (training)"));
      EXPECT_THAT(error.what(), HasSubstr(throws_error ? "it is broken: glass" : "a callback failed: out of luck"));
    }
  }
}

TEST(CallbackGraph, GoesOnWithoutOneThatThrows) {
  Flow run;
  auto thrower = std::make_unique<Thrower>();
  const Thrower& seen = *thrower;
  run.graph.set_on_error(CallbackGraph::OnError::kDisable);
  run.graph.add(std::move(thrower));
  run.graph.fire(events::kIterationEnd, run.state, run.control);
  run.graph.fire(events::kIterationEnd, run.state, run.control);
  EXPECT_EQ(seen.calls, 1);
  EXPECT_TRUE(run.graph.take_times().front().is_disabled);
}

}  // namespace
}  // namespace base::testing
