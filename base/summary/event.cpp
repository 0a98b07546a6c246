#include "base/summary/event.h"

#include <protozero/pbf_writer.hpp>

namespace base {
namespace {

using protozero::pbf_tag_type;
using protozero::pbf_writer;

// Field numbers of
// tensorboard/compat/proto/{event,summary,histogram,tensor,tensor_shape,graph,node_def,attr_value}.proto and of
// tensorboard/plugins/hparams/{api,plugin_data}.proto.
namespace event {
constexpr pbf_tag_type kWallTime = 1, kStep = 2, kFileVersion = 3, kGraphDef = 4, kSummary = 5, kSessionLog = 7;
constexpr pbf_tag_type kSummaryValue = 1;
constexpr pbf_tag_type kSessionStatus = 1;
constexpr int kSessionStart = 1;
}  // namespace event
namespace value {
constexpr pbf_tag_type kTag = 1, kSimpleValue = 2, kImage = 4, kHisto = 5, kTensor = 8, kMetadata = 9;
constexpr pbf_tag_type kPluginData = 1, kPluginName = 1, kPluginContent = 2;
}  // namespace value
namespace image {
constexpr pbf_tag_type kHeight = 1, kWidth = 2, kColorspace = 3, kEncoded = 4;
}
namespace histo {
constexpr pbf_tag_type kMin = 1, kMax = 2, kNum = 3, kSum = 4, kSumSquares = 5, kBucketLimit = 6, kBucket = 7;
}
namespace tensor {
constexpr pbf_tag_type kDtype = 1, kShape = 2, kStringVal = 8, kShapeDim = 2, kDimSize = 1;
constexpr int kFloat = 1, kString = 7;
}  // namespace tensor
namespace hparams {
constexpr pbf_tag_type kVersion = 1, kExperiment = 2, kSessionStart = 3, kSessionEnd = 4;
constexpr pbf_tag_type kTimeCreated = 3, kHparamInfos = 4, kMetricInfos = 5;
constexpr pbf_tag_type kInfoName = 1, kInfoType = 4, kMetricName = 1, kMetricGroup = 1, kMetricTag = 2;
constexpr pbf_tag_type kStartHparams = 1, kStartTime = 5, kEndStatus = 1, kEndTime = 2;
constexpr pbf_tag_type kMapKey = 1, kMapValue = 2, kNumberValue = 2, kStringValue = 3, kBoolValue = 4;
constexpr int kTypeString = 1, kTypeBool = 2, kTypeFloat = 3;
constexpr int kSuccess = 1, kFailure = 2;
}  // namespace hparams
namespace graph {
constexpr pbf_tag_type kNode = 1, kVersions = 4, kProducer = 1;
constexpr pbf_tag_type kName = 1, kOp = 2, kInput = 3, kAttr = 5;
constexpr pbf_tag_type kAttrString = 2, kAttrList = 1, kAttrListShape = 7;
}  // namespace graph

std::string event_with(double time, std::int64_t step, pbf_tag_type field, const std::string& content) {
  std::string bytes;
  pbf_writer message(bytes);
  message.add_double(event::kWallTime, time);
  if (step != 0) message.add_int64(event::kStep, step);
  message.add_message(field, content);
  return bytes;
}

/// An event with one value of a summary, which `fill` writes.
template <typename Fill>
std::string summary_event(const EventHead& head, Fill fill) {
  std::string bytes;
  {  // a message within another is complete when its writer ends
    pbf_writer message(bytes);
    message.add_double(event::kWallTime, head.time);
    if (head.step != 0) message.add_int64(event::kStep, head.step);
    pbf_writer summary(message, event::kSummary);
    pbf_writer one(summary, event::kSummaryValue);
    one.add_string(value::kTag, head.tag.data(), head.tag.size());
    fill(one);
  }
  return bytes;
}

void add_plugin(pbf_writer& one, const std::string& name, const std::string& content) {
  pbf_writer metadata(one, value::kMetadata);
  pbf_writer plugin(metadata, value::kPluginData);
  plugin.add_string(value::kPluginName, name);
  if (!content.empty()) plugin.add_bytes(value::kPluginContent, content);
}

/// What the plugin wants lies in the metadata; the tensor is there because some readers take no value without one.
std::string hparams_event(double time, std::string_view tag, pbf_tag_type field, const std::string& content) {
  return summary_event({.time = time, .tag = tag}, [&](pbf_writer& one) {
    std::string data;
    pbf_writer(data).add_message(field, content);
    add_plugin(one, "hparams", data);
    pbf_writer empty(one, value::kTensor);
    empty.add_enum(tensor::kDtype, tensor::kFloat);
    pbf_writer shape(empty, tensor::kShape);
    pbf_writer dimension(shape, tensor::kShapeDim);
    dimension.add_int64(tensor::kDimSize, 0);
  });
}

int type_of(const HyperParameter& parameter) {
  if (std::holds_alternative<double>(parameter.second)) return hparams::kTypeFloat;
  return std::holds_alternative<bool>(parameter.second) ? hparams::kTypeBool : hparams::kTypeString;
}

void add_value(pbf_writer& entry, const HyperParameter& parameter) {
  pbf_writer content(entry, hparams::kMapValue);
  if (const auto* number = std::get_if<double>(&parameter.second)) {
    content.add_double(hparams::kNumberValue, *number);
  } else if (const auto* truth = std::get_if<bool>(&parameter.second)) {
    content.add_bool(hparams::kBoolValue, *truth);
  } else {
    content.add_string(hparams::kStringValue, std::get<std::string>(parameter.second));
  }
}

void add_attribute(pbf_writer& node, const std::string& name, const std::string& content) {
  pbf_writer entry(node, graph::kAttr);
  entry.add_string(hparams::kMapKey, name);
  entry.add_message(hparams::kMapValue, content);
}

void add_node(pbf_writer& whole, const GraphNode& node) {
  pbf_writer message(whole, graph::kNode);
  message.add_string(graph::kName, node.name);
  message.add_string(graph::kOp, node.operation);
  for (const std::string& input : node.inputs) message.add_string(graph::kInput, input);
  for (const auto& [name, text] : node.notes) {
    std::string content;
    pbf_writer(content).add_bytes(graph::kAttrString, text);
    add_attribute(message, name, content);
  }
  if (node.shape.empty()) return;
  std::string content;
  {
    pbf_writer attribute(content);
    pbf_writer list(attribute, graph::kAttrList);
    pbf_writer shape(list, graph::kAttrListShape);
    for (const std::int64_t size : node.shape) {
      pbf_writer dimension(shape, tensor::kShapeDim);
      dimension.add_int64(tensor::kDimSize, size);
    }
  }
  add_attribute(message, "_output_shapes", content);
}

}  // namespace

std::string encode_version(double time) {
  std::string bytes;
  pbf_writer message(bytes);
  message.add_double(event::kWallTime, time);
  message.add_string(event::kFileVersion, "brain.Event:2");
  return bytes;
}

std::string encode_restart(const EventHead& head) {
  std::string session;
  pbf_writer(session).add_enum(event::kSessionStatus, event::kSessionStart);
  return event_with(head.time, head.step, event::kSessionLog, session);
}

std::string encode_scalar(const EventHead& head, double value) {
  return summary_event(head, [&](pbf_writer& one) { one.add_float(value::kSimpleValue, static_cast<float>(value)); });
}

std::string encode_histogram(const EventHead& head, const Histogram& histogram) {
  return summary_event(head, [&](pbf_writer& one) {
    pbf_writer message(one, value::kHisto);
    message.add_double(histo::kMin, histogram.min);
    message.add_double(histo::kMax, histogram.max);
    message.add_double(histo::kNum, histogram.count);
    message.add_double(histo::kSum, histogram.sum);
    message.add_double(histo::kSumSquares, histogram.sum_of_squares);
    message.add_packed_double(histo::kBucketLimit, histogram.limits.begin(), histogram.limits.end());
    message.add_packed_double(histo::kBucket, histogram.buckets.begin(), histogram.buckets.end());
  });
}

std::string encode_image(const EventHead& head, const EncodedImage& picture) {
  return summary_event(head, [&](pbf_writer& one) {
    pbf_writer message(one, value::kImage);
    message.add_int32(image::kHeight, static_cast<std::int32_t>(picture.height));
    message.add_int32(image::kWidth, static_cast<std::int32_t>(picture.width));
    message.add_int32(image::kColorspace, static_cast<std::int32_t>(picture.channels));
    message.add_bytes(image::kEncoded, picture.bytes);
  });
}

std::string encode_text(const EventHead& head, std::string_view text) {
  return summary_event(head, [&](pbf_writer& one) {
    {
      pbf_writer message(one, value::kTensor);
      message.add_enum(tensor::kDtype, tensor::kString);
      {
        pbf_writer shape(message, tensor::kShape);
        pbf_writer dimension(shape, tensor::kShapeDim);
        dimension.add_int64(tensor::kDimSize, 1);
      }
      message.add_bytes(tensor::kStringVal, text.data(), text.size());
    }
    add_plugin(one, "text", "");
  });
}

std::string encode_experiment(double time, const std::vector<HyperParameter>& parameters,
                              const std::vector<TableFigure>& figures) {
  std::string content;
  pbf_writer message(content);
  message.add_double(hparams::kTimeCreated, time);
  for (const HyperParameter& parameter : parameters) {
    pbf_writer info(message, hparams::kHparamInfos);
    info.add_string(hparams::kInfoName, parameter.first);
    info.add_enum(hparams::kInfoType, type_of(parameter));
  }
  for (const TableFigure& figure : figures) {
    pbf_writer info(message, hparams::kMetricInfos);
    pbf_writer name(info, hparams::kMetricName);
    name.add_string(hparams::kMetricGroup, figure.folder);
    name.add_string(hparams::kMetricTag, figure.tag);
  }
  return hparams_event(time, "_hparams_/experiment", hparams::kExperiment, content);
}

std::string encode_session_start(double time, const std::vector<HyperParameter>& parameters) {
  std::string content;
  pbf_writer message(content);
  for (const HyperParameter& parameter : parameters) {
    pbf_writer entry(message, hparams::kStartHparams);
    entry.add_string(hparams::kMapKey, parameter.first);
    add_value(entry, parameter);
  }
  message.add_double(hparams::kStartTime, time);
  return hparams_event(time, "_hparams_/session_start_info", hparams::kSessionStart, content);
}

std::string encode_session_end(double time, bool is_success) {
  std::string content;
  pbf_writer message(content);
  message.add_enum(hparams::kEndStatus, is_success ? hparams::kSuccess : hparams::kFailure);
  message.add_double(hparams::kEndTime, time);
  return hparams_event(time, "_hparams_/session_end_info", hparams::kSessionEnd, content);
}

std::string encode_graph(double time, const std::vector<GraphNode>& nodes) {
  std::string content;
  {
    pbf_writer message(content);
    for (const GraphNode& node : nodes) add_node(message, node);
    pbf_writer versions(message, graph::kVersions);
    versions.add_int32(graph::kProducer, 22);
  }
  return event_with(time, 0, event::kGraphDef, content);
}

}  // namespace base
