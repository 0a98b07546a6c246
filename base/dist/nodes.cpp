#include "base/dist/nodes.h"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <sstream>
#include <vector>

namespace base {
namespace {

using nlohmann::json;

constexpr int kUsualPort = 29500;  // torchrun's, where a platform reserves none

/// For platforms that reserve no port for this purpose.
int port_of(const LauncherVariables& variables, int otherwise) {
  return variables.has("MASTER_PORT") ? variables.port("MASTER_PORT") : otherwise;
}

/// torchrun takes its options from these as well, which is what they are made for.
Nodes kubeflow_nodes(const LauncherVariables& variables) {
  Nodes nodes{.count = variables.number("PET_NNODES", 1), .platform = variables.launcher()};
  if (nodes.count > 1 || variables.has("PET_NODE_RANK")) nodes.rank = variables.number("PET_NODE_RANK");
  variables.expect(nodes.rank < nodes.count, "the rank of the node is not below the number of nodes",
                   {"PET_NODE_RANK", "PET_NNODES"});
  if (nodes.count > 1) {
    nodes.master_address = variables.text("PET_MASTER_ADDR");
    nodes.master_port = variables.port("PET_MASTER_PORT");
  }
  const std::string processes = variables.has("PET_NPROC_PER_NODE") ? variables.text("PET_NPROC_PER_NODE") : "auto";
  if (processes != "auto" && processes != "gpu" && processes != "cpu") {
    nodes.processes_per_node = variables.number("PET_NPROC_PER_NODE", 1);
  }
  return nodes;
}

/// CLUSTER_SPEC is {"cluster": {"workerpool0": ["host:2222"], ...}, "task": {"type": "workerpool0", "index": 0}}. The
/// machines count from the first pool to the last.
Nodes vertex_nodes(const LauncherVariables& variables) {
  const json spec = json::parse(variables.text("CLUSTER_SPEC"), nullptr, false);
  const auto require = [&](bool holds, const char* what) { variables.expect(holds, what, {"CLUSTER_SPEC"}); };
  require(spec.is_object(), "not a JSON object");
  require(spec.contains("cluster") && spec["cluster"].is_object(), "no cluster in it");
  require(spec.contains("task") && spec["task"].is_object(), "no task in it");
  const json& task = spec["task"];
  require(task.contains("type") && task["type"].is_string(), "no type of the task in it");
  require(task.contains("index") && task["index"].is_number_unsigned(), "no index of the task in it");

  Nodes nodes{.count = 0, .rank = -1, .platform = variables.launcher()};
  std::string first;                                           // of all hosts, with its port
  for (const auto& [pool, hosts] : spec["cluster"].items()) {  // sorted by name: workerpool0 comes first
    require(hosts.is_array() && std::ranges::all_of(hosts, [](const json& host) { return host.is_string(); }),
            "a pool that is not a list of hosts");
    if (pool == task["type"]) {
      require(task["index"].get<std::size_t>() < hosts.size(), "the task is not in its pool");
      nodes.rank = nodes.count + task["index"].get<int>();
    }
    if (nodes.count == 0 && !hosts.empty()) first = hosts.front().get<std::string>();
    nodes.count += static_cast<int>(hosts.size());
  }
  require(nodes.rank >= 0, "the task is in none of the pools");
  const std::size_t colon = std::min(first.rfind(':'), first.size());
  nodes.master_address = first.substr(0, colon);
  nodes.master_port = kUsualPort;
  if (colon < first.size()) {
    const auto read = std::from_chars(first.data() + colon + 1, first.data() + first.size(), nodes.master_port);
    const bool is_port = read.ec == std::errc() && read.ptr == first.data() + first.size() && nodes.master_port > 0;
    require(is_port && nodes.master_port < 65536, "the first host has no valid port");
  }
  nodes.master_port = port_of(variables, nodes.master_port);
  return nodes;
}

Nodes skypilot_nodes(const LauncherVariables& variables) {
  std::vector<std::string> addresses;
  std::istringstream lines(variables.text("SKYPILOT_NODE_IPS"));
  for (std::string address; lines >> address;) addresses.push_back(address);
  Nodes nodes{.count = variables.number("SKYPILOT_NUM_NODES", 1),
              .rank = variables.number("SKYPILOT_NODE_RANK"),
              .master_port = port_of(variables, kUsualPort),
              .platform = variables.launcher()};
  variables.expect(static_cast<std::size_t>(nodes.count) == addresses.size(),
                   "not as many addresses as there are nodes", {"SKYPILOT_NODE_IPS", "SKYPILOT_NUM_NODES"});
  variables.expect(nodes.rank < nodes.count, "the rank of the node is not below the number of nodes",
                   {"SKYPILOT_NODE_RANK", "SKYPILOT_NUM_NODES"});
  nodes.master_address = addresses.front();
  if (variables.has("SKYPILOT_NUM_GPUS_PER_NODE")) {
    nodes.processes_per_node = variables.number("SKYPILOT_NUM_GPUS_PER_NODE");
  }
  return nodes;
}

}  // namespace

Nodes Nodes::from_environment(const Environment& environment) {
  const LauncherVariables kubeflow(environment, "Kubeflow", "PET_NNODES");
  const LauncherVariables vertex(environment, "Vertex AI", "CLUSTER_SPEC");
  const LauncherVariables skypilot(environment, "SkyPilot", "SKYPILOT_NODE_RANK");
  if (kubeflow.is_there()) return kubeflow_nodes(kubeflow);
  if (vertex.is_there()) return vertex_nodes(vertex);
  if (skypilot.is_there()) return skypilot_nodes(skypilot);
  return {};
}

}  // namespace base
