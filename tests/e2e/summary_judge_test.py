"""summary_judge_test.py PROGRAM: TensorBoard's own reader finds all that base/summary writes, with equal values. PROGRAM is
summary_judge.cpp."""

import io
import math
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import judges

if __name__ == "__main__":
    judges.enter_environment("tensorboard")

import numpy as np
from google.protobuf import text_format
from PIL import Image
from tensorboard.backend.event_processing import plugin_event_accumulator
from tensorboard.compat.proto import graph_pb2
from tensorboard.plugins.hparams import plugin_data_pb2
from tensorboard.plugins.projector import projector_config_pb2
from tensorboard.util import tensor_util

PROGRAM = Path(sys.argv[1]).resolve()


class Judge(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.temporary.name)
        subprocess.run([PROGRAM, cls.folder], check=True)
        cls.train = cls.read(cls.folder / "train")
        cls.validation = cls.read(cls.folder / "validation")

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    @staticmethod
    def read(folder: Path):
        everything = {kind: 0 for kind in plugin_event_accumulator.DEFAULT_SIZE_GUIDANCE}
        accumulator = plugin_event_accumulator.EventAccumulator(str(folder), size_guidance=everything)
        accumulator.Reload()
        return accumulator

    def tensors(self, tag: str) -> list[tuple[int, np.ndarray]]:
        return [(event.step, tensor_util.make_ndarray(event.tensor_proto)) for event in self.train.Tensors(tag)]

    def plugin(self, tag: str) -> str:
        return self.train.SummaryMetadata(tag).plugin_data.plugin_name

    def test_scalars(self):
        steps, values = zip(*[(step, value.item()) for step, value in self.tensors("loss")])
        self.assertEqual(list(range(1000)), list(steps))
        np.testing.assert_array_equal(np.float32(np.sin(0.01 * np.arange(1000))), np.float32(values))
        self.assertEqual("scalars", self.plugin("loss"))

    def test_steps_of_validation_are_aligned(self):
        self.assertEqual(list(range(99, 1000, 100)), [event.step for event in self.validation.Tensors("loss")])

    def test_odd_scalars(self):
        values = [value.item() for _, value in self.tensors("odd/values")]
        self.assertTrue(math.isnan(values[0]))
        self.assertEqual([math.inf, np.float32(1e-30)], values[1:])

    def picture(self, tag: str, step: int) -> np.ndarray:
        [(found, strings)] = self.tensors(tag)
        self.assertEqual(step, found)
        self.assertEqual("images", self.plugin(tag))
        width, height, data = int(strings[0]), int(strings[1]), strings[2]
        pixels = np.asarray(Image.open(io.BytesIO(data)))
        self.assertEqual((height, width), pixels.shape[:2])
        return pixels

    def test_images(self):
        expected = np.arange(60, dtype=np.uint8).reshape(3, 4, 5).transpose(1, 2, 0)
        np.testing.assert_array_equal(expected, self.picture("picture", 7))
        np.testing.assert_array_equal([[0, 51, 102], [153, 204, 255]], self.picture("grey", 8))
        several = self.picture("several", 9)
        self.assertEqual((10, 16), several.shape, "two rows of three, with a line of two pixels between")
        self.assertEqual(5 * 16, (several == 255).sum())

    def test_histograms(self):
        [(step, buckets)] = self.tensors("weights")
        self.assertEqual((10, "histograms"), (step, self.plugin("weights")))
        self.assertEqual(1001, buckets[:, 2].sum())
        self.assertEqual((-1, 1), (buckets[0, 0], buckets[-1, 1]))
        counts, edges = np.histogram(np.linspace(-1, 1, 1001, dtype=np.float32), bins=64)
        np.testing.assert_allclose(edges[1:], buckets[:, 1], atol=1e-6)
        self.assertLessEqual(np.abs(counts - buckets[:, 2]).max(), 1)
        [(_, one)] = self.tensors("one_value")
        self.assertEqual(10, one[:, 2].sum())
        [(_, none)] = self.tensors("nothing")
        self.assertEqual(0, none[:, 2].sum() if none.size else 0)

    def test_text(self):
        [(step, text)] = self.tensors("note")
        self.assertEqual((13, "text"), (step, self.plugin("note")))
        self.assertEqual("**bold** äöü", text.item().decode())

    def hparams(self, tag: str):
        content = self.train.SummaryMetadata(tag).plugin_data.content
        return plugin_data_pb2.HParamsPluginData.FromString(content)

    def test_hyper_parameters(self):
        experiment = self.hparams("_hparams_/experiment").experiment
        self.assertEqual(["learning_rate", "nesterov", "optimizer"], [info.name for info in experiment.hparam_infos])
        self.assertEqual([("", "loss"), ("validation", "loss")], [(info.name.group, info.name.tag) for info in experiment.metric_infos])
        start = self.hparams("_hparams_/session_start_info").session_start_info
        self.assertEqual(0.01, start.hparams["learning_rate"].number_value)
        self.assertTrue(start.hparams["nesterov"].bool_value)
        self.assertEqual("sgd", start.hparams["optimizer"].string_value)
        self.assertEqual(1, self.hparams("_hparams_/session_end_info").session_end_info.status)

    def test_graph(self):
        graph = self.train.Graph()
        self.assertIsInstance(graph, graph_pb2.GraphDef)
        nodes = {node.name: node for node in graph.node}
        self.assertEqual(len(nodes), len(graph.node), "every name once")
        for node in graph.node:
            for source in node.input:
                self.assertIn(source, nodes)
        self.assertIn("inputs/image", nodes)
        reached, todo = set(), ["outputs/class"]
        while todo:
            name = todo.pop()
            if name not in reached:
                reached.add(name)
                todo += nodes[name].input
        parameters = {name for name, node in nodes.items() if node.op == "parameter"}
        self.assertEqual(8, len(parameters), parameters)
        self.assertLessEqual(parameters | {"inputs/image"}, reached, "the answer depends on all of them")
        convolutions = [node for node in graph.node if "conv" in node.op]
        self.assertEqual(2, len(convolutions))
        for node in convolutions:
            self.assertRegex(node.name, r"^cnn/\w+/")
            [shape] = node.attr["_output_shapes"].list.shape
            self.assertEqual(4, len(shape.dim))

    def test_embeddings(self):
        text = (self.folder / "train/projector_config.pbtxt").read_text()
        config = text_format.Parse(text, projector_config_pb2.ProjectorConfig())
        self.assertEqual(["points", "more points"], [embedding.tensor_name for embedding in config.embeddings])
        points, more = config.embeddings
        values = np.loadtxt(self.folder / "train" / points.tensor_path, delimiter="\t")
        np.testing.assert_array_equal(np.arange(12).reshape(4, 3), values)
        labels = (self.folder / "train" / points.metadata_path).read_text().splitlines()
        self.assertEqual(["a", "b c", "d", "e"], labels)
        sprite = np.asarray(Image.open(self.folder / "train" / points.sprite.image_path))
        self.assertEqual((16, 16), sprite.shape)
        self.assertEqual([8, 8], list(points.sprite.single_image_dim))
        self.assertEqual((2, 2), np.loadtxt(self.folder / "train" / more.tensor_path, delimiter="\t").shape)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
