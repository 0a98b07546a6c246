"""records_judges_test.py PROGRAM: the PyPI packages `tfrecord` and `safetensors` read what base/records writes and the other
way round, byte for byte where the format says which bytes. PROGRAM is records_judge.cpp."""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import judges

if __name__ == "__main__":
    judges.enter_environment("records")

import numpy as np
import safetensors
import safetensors.numpy
import tfrecord
from tfrecord import example_pb2

PROGRAM = Path(sys.argv[1]).resolve()


class Judges(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def run_program(self, *arguments) -> str:
        run = subprocess.run([PROGRAM, *arguments], text=True, capture_output=True)
        self.assertEqual(0, run.returncode, run.stderr)
        return run.stdout


class Records(Judges):
    # Lists of all three kinds, of many, one and no value; sums that a float holds exactly.
    DATA = [
        {"image": (bytes(range(256)) * 40, "byte"), "label": (3, "int"), "weight": (0.5, "float")},
        {"image": (b"\0", "byte"), "label": (-1, "int"), "weight": ([-2.25, 1e20, -1e20], "float")},
        {"image": ([b"a", b"", b"bc"], "byte"), "label": (list(range(1000)), "int"), "weight": (1.0, "float")},
        {"image": (b"x", "byte"), "label": ([2**63 - 1, -(2**63)], "int"), "weight": ([0.125] * 500, "float")},
        {"\u00e4": (b"\xff", "byte"), "label": (5, "int"), "weight": ([], "float"), "image": (b"z", "byte")},
    ]

    def setUp(self):
        super().setUp()
        self.written = self.folder / "python.tfrecord"
        writer = tfrecord.TFRecordWriter(str(self.written))
        for datum in self.DATA:
            writer.write(datum)
        writer.close()

    def payloads(self, path: Path) -> list[bytes]:
        return [bytes(view) for view in tfrecord.reader.tfrecord_iterator(str(path))]

    def test_records_copied_as_they_are_give_the_same_file(self):
        self.run_program("records", self.written, self.folder / "copy")
        self.assertEqual(self.written.read_bytes(), (self.folder / "copy").read_bytes())

    def test_examples_are_read_and_written_alike(self):
        printed = self.run_program("examples", self.written, self.folder / "shards").split()
        values = lambda kind: [value for datum in self.DATA for list_, k in datum.values() if k == kind
                               for value in (list_ if isinstance(list_, list) else [list_])]
        self.assertEqual([len(values(kind)) for kind in ("byte", "float", "int")], [int(count) for count in printed[:3]])
        self.assertAlmostEqual(sum(np.array(values("float"), dtype=np.float32).astype(float)), float(printed[3]))
        self.assertEqual(sum(values("int")), int(printed[4]))

        names = [f"copy-{i:05}-of-00003.tfrecord" for i in range(3)]
        shards = [self.folder / "shards" / name for name in names]
        self.assertEqual(names, sorted(path.name for path in (self.folder / "shards").iterdir()))
        self.assertEqual([2, 2, 1], [len(self.payloads(shard)) for shard in shards])
        copied = [payload for shard in shards for payload in self.payloads(shard)]
        original = [example_pb2.Example.FromString(payload) for payload in self.payloads(self.written)]
        self.assertEqual([example.SerializeToString(deterministic=True) for example in original], copied)

    def test_the_package_loads_the_features_of_our_shards(self):
        self.run_program("examples", self.written, self.folder / "shards")
        description = {"image": "byte", "label": "int", "weight": "float"}
        loaded = [example for shard in sorted((self.folder / "shards").iterdir())
                  for example in tfrecord.tfrecord_loader(str(shard), None, description)]
        self.assertEqual(len(self.DATA), len(loaded))
        for datum, example in zip(self.DATA, loaded):
            np.testing.assert_array_equal(np.atleast_1d(datum["label"][0]), example["label"])
            np.testing.assert_array_equal(np.atleast_1d(np.float32(datum["weight"][0])), example["weight"])
            if isinstance(datum["image"][0], bytes):
                self.assertEqual(datum["image"][0], bytes(example["image"]))
            else:
                self.assertEqual(datum["image"][0], list(example["image"]))


class Safetensors(Judges):
    NAMES = {"bool": "BOOL", "uint8": "U8", "int8": "I8", "int16": "I16", "uint16": "U16", "float16": "F16", "bfloat16": "BF16",
             "int32": "I32", "uint32": "U32", "float32": "F32", "float64": "F64", "int64": "I64", "uint64": "U64"}

    def check_copy(self, data: bytes) -> str:
        """Our copy of a file has the same bytes; returns what the program says of it."""
        path = self.folder / "python.safetensors"
        path.write_bytes(data)
        printed = self.run_program("safetensors", path, self.folder / "copy")
        self.assertEqual(data, (self.folder / "copy").read_bytes())
        return printed

    def test_every_type_and_shape_is_written_alike(self):
        tensors = {}
        buffers = []
        for index, dtype in enumerate(self.NAMES):
            size = 2 if dtype == "bfloat16" else np.dtype(dtype).itemsize
            for shape in ([], [1], [0], [3, 0, 2], [2, 3], [index + 1]):
                data = np.frombuffer(np.random.default_rng(index).bytes(int(np.prod(shape)) * size), dtype=np.uint8)
                buffers.append(data)
                tensors[f"{index % 3}.{dtype}.{shape}"] = safetensors.TensorSpec(
                    dtype=dtype, shape=shape, data_ptr=data.ctypes.data, data_len=data.nbytes)
        for metadata in (None, {"format": "pt"}, {"\u00e4\"\\\n\t\b\x01\x7f": "/\u2028\U0001f600"}):
            lines = self.check_copy(safetensors.serialize(tensors, metadata=metadata)).splitlines()
            self.assertEqual(len(tensors), len(lines))
            self.assertEqual(set(self.NAMES.values()), {line.split()[0] for line in lines})
            self.assertIn("F32 2 3", lines)

    def test_many_tensors_and_names_that_need_escapes_are_written_alike(self):
        names = [f"layer.{i}.weight" for i in range(1000)] + ["", " ", "\"", "\\", "/", "\n\r\t\b\f", "\x00\x1f\x7f", "\u00e4", "\U0001f600"]
        self.check_copy(safetensors.numpy.save({name: np.full((i % 7, 3), i, np.float32) for i, name in enumerate(names)}))
        self.check_copy(safetensors.numpy.save({}))

    def test_several_entries_of_metadata_are_kept(self):
        # Python writes them in random order, so the bytes may differ; the header and the data may not.
        metadata = {f"key{i}": f"value {i}" for i in range(20)}
        path = self.folder / "python.safetensors"
        safetensors.numpy.save_file({"a": np.arange(5), "b": np.arange(3.0)}, path, metadata=metadata)
        self.run_program("safetensors", path, self.folder / "copy")
        with safetensors.safe_open(self.folder / "copy", framework="numpy") as file:
            self.assertEqual(metadata, file.metadata())
            np.testing.assert_array_equal(np.arange(5), file.get_tensor("a"))
            np.testing.assert_array_equal(np.arange(3.0), file.get_tensor("b"))
        split = lambda data: (json.loads(data[8:8 + int.from_bytes(data[:8], "little")]), data[8 + int.from_bytes(data[:8], "little"):])
        self.assertEqual(split(path.read_bytes()), split((self.folder / "copy").read_bytes()))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
