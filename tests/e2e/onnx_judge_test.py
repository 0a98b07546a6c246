"""onnx_judge_test.py PROGRAM: models that base/export writes, as onnx and onnxruntime see them. PROGRAM is onnx_judge.cpp."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import judges

if __name__ == "__main__":
    judges.enter_environment("onnx")

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, numpy_helper
from safetensors.numpy import save_file

PROGRAM = Path(sys.argv[1]).resolve()
MODELS = ("attention", "cnn", "mlp", "residual", "sentence")
ENGINES = ("onnxruntime", "tensorrt")
FLOATS = (TensorProto.FLOAT, TensorProto.FLOAT16)


def inputs_for(session, batch: int, seed: int, length: int = 6) -> dict:
    """Random inputs of the types and shapes that the model declares."""
    random = np.random.default_rng(seed)
    feed = {}
    for one in session.get_inputs():
        shape = [{"batch": batch, "length": length}.get(size, size) for size in one.shape]
        if one.type == "tensor(int64)":
            feed[one.name] = random.integers(0, 50, shape)
        else:
            kind = np.float16 if one.type == "tensor(float16)" else np.float32
            feed[one.name] = random.normal(size=shape).astype(kind)
    return feed


def operations(graph) -> list[str]:
    return [node.op_type for node in graph.node]


class OnnxModels(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        cls.program("write")
        for model in MODELS:
            feed = inputs_for(cls.session(f"{model}_f32"), 100, seed=1)
            save_file(feed, cls.folder / f"{model}.safetensors")
        cls.program("quantize")

    @classmethod
    def program(cls, command: str):
        run = subprocess.run([PROGRAM, command, cls.folder], text=True, capture_output=True)
        assert run.returncode == 0, run.stderr

    @classmethod
    def session(cls, name: str, **options):
        settings = onnxruntime.SessionOptions()
        settings.log_severity_level = 3
        for key, value in options.items():
            setattr(settings, key, value)
        return onnxruntime.InferenceSession(cls.folder / f"{name}.onnx", settings, providers=["CPUExecutionProvider"])

    def load(self, name: str):
        return onnx.load(self.folder / f"{name}.onnx")

    def check(self, name: str):
        """The standard's own checks, with types and shapes of every value inferred and compared with what the file says."""
        path = self.folder / f"{name}.onnx"
        onnx.checker.check_model(path, full_check=True)
        return onnx.shape_inference.infer_shapes(onnx.load(path), check_type=True, strict_mode=True, data_prop=True)

    def test_all_kinds_of_attributes_and_types_are_read(self):
        model = self.load("everything")
        self.assertEqual([("", 17)], [(one.domain, one.version) for one in model.opset_import])
        self.assertEqual((8, "scaffold"), (model.ir_version, model.producer_name))
        self.assertEqual({"step": "400", "written by": "a test"}, {one.key: one.value for one in model.metadata_props})
        node, = model.graph.node
        self.assertEqual((["x", "", "s"], ["y"], "layer/Everything"), (list(node.input), list(node.output), node.name))
        attributes = {one.name: onnx.helper.get_attribute_value(one) for one in node.attribute}
        tensor = numpy_helper.to_array(attributes.pop("tensor"))
        self.assertEqual((np.float64, [1.5, -2.5]), (tensor.dtype, tensor.tolist()))
        self.assertEqual({"int": -5, "float": 0.5, "string": "text ä".encode(), "ints": [1, -2, 3_000_000_000],
                          "floats": [0.25, -1e10], "strings": [b"a", b""]}, attributes)
        x, s = model.graph.input
        self.assertEqual([("rows", 0), ("", 3)], [(dim.dim_param, dim.dim_value) for dim in x.type.tensor_type.shape.dim])
        self.assertEqual((0, TensorProto.INT64), (len(s.type.tensor_type.shape.dim), s.type.tensor_type.elem_type))
        types = {}
        for one in model.graph.initializer:
            array = numpy_helper.to_array(one)
            self.assertEqual([[1], [0]], array.astype(np.float64).tolist(), one.name)
            types[one.name] = array.dtype.name
        self.assertEqual({"BOOL": "bool", "U8": "uint8", "I8": "int8", "I16": "int16", "U16": "uint16", "F16": "float16",
                          "BF16": "bfloat16", "I32": "int32", "U32": "uint32", "F32": "float32", "F64": "float64",
                          "I64": "int64", "U64": "uint64"}, types)

    def test_models_are_valid_and_take_any_batch(self):
        for model in MODELS:
            self.check(f"{model}_f32")
            session = self.session(f"{model}_f32")
            several = inputs_for(session, 3, seed=2)
            together = session.run(None, several)[0]
            for row in range(3):
                alone = session.run(None, {name: value[row:row + 1] for name, value in several.items()})[0]
                np.testing.assert_allclose(alone[0], together[row], atol=1e-5, err_msg=model)

    def test_weights_beside_the_model_are_the_same(self):
        for model in MODELS:
            self.check(f"{model}_data")
            bare = onnx.load(self.folder / f"{model}_data.onnx", load_external_data=False)
            outside = [one for one in bare.graph.initializer if one.data_location == TensorProto.EXTERNAL]
            self.assertGreater(len(outside), 0, model)
            for one in outside:
                entry = {item.key: item.value for item in one.external_data}
                self.assertEqual((f"{model}_data.onnx.data", 0), (entry["location"], int(entry["offset"]) % 4096))
            whole, split = self.load(f"{model}_f32"), self.load(f"{model}_data")
            for one, other in zip(whole.graph.initializer, split.graph.initializer, strict=True):
                np.testing.assert_array_equal(numpy_helper.to_array(one), numpy_helper.to_array(other))
            session = self.session(f"{model}_f32")
            feed = inputs_for(session, 2, seed=3)
            for one, other in zip(session.run(None, feed), self.session(f"{model}_data").run(None, feed), strict=True):
                np.testing.assert_array_equal(one, other)

    def test_half_precision_is_near_single(self):
        for model in MODELS:
            single = self.session(f"{model}_f32")
            feed = inputs_for(single, 5, seed=4)
            expected = single.run(None, feed)
            for variant in ("f16", "f16io"):
                self.check(f"{model}_{variant}")
                half = self.session(f"{model}_{variant}")
                kinds = {one.type for one in half.get_inputs()} - {"tensor(int64)"}
                self.assertLessEqual(kinds, {"tensor(float16)" if variant == "f16io" else "tensor(float)"})
                narrow = {name: value.astype(np.float16) if variant == "f16io" and value.dtype == np.float32 else value
                          for name, value in feed.items()}
                for one, other in zip(expected, half.run(None, narrow), strict=True):
                    self.assertEqual(np.float16 if variant == "f16io" else np.float32, other.dtype)
                    self.assertGreater(one.std() + one.size % 2, 1e-3)
                    difference = np.abs(one - other.astype(np.float32)).max()
                    print(f"{model}_{variant}: outputs differ by {difference:.1e}")
                    self.assertLess(difference, 1e-2)

    def test_half_precision_is_where_it_belongs(self):
        for model in MODELS:
            inferred = self.check(f"{model}_f16").graph
            types = {one.name: one.data_type for one in inferred.initializer}
            for one in (*inferred.input, *inferred.output, *inferred.value_info):
                types[one.name] = one.type.tensor_type.elem_type
            makers = {output: node for node in inferred.node for output in node.output}
            for node in inferred.node:
                floats = {types[name] for name in (*node.input, *node.output) if name and types[name] in FLOATS}
                if node.op_type == "Cast":
                    before = makers.get(node.input[0])
                    self.assertFalse(before is not None and before.op_type == "Cast", f"{model}: two casts in a row")
                elif node.op_type in ("Conv", "Gemm", "MatMul", "Gather"):
                    self.assertEqual({TensorProto.FLOAT16}, floats, f"{model} {node.name}")
                elif node.op_type in ("Softmax", "LayerNormalization", "ReduceSum"):
                    self.assertEqual({TensorProto.FLOAT}, floats, f"{model} {node.name}")

    def test_eight_bits_are_near_single(self):
        for model in MODELS:
            single = self.session(f"{model}_f32")
            feed = inputs_for(single, 64, seed=5)
            expected = single.run(None, feed)[0]
            for engine in ENGINES:
                for method in ("minmax", "percentile", "entropy"):
                    name = f"{model}_{engine}_{method}"
                    self.check(name)
                    answer = self.session(name).run(None, feed)[0]
                    error = np.sqrt(np.mean((answer - expected) ** 2)) / expected.std()
                    print(f"{name}: error {100 * error:.1f} % of the outputs' deviation")
                    self.assertGreater(error, 0, "nothing was rounded")
                    self.assertLess(error, 0.03, name)

    def test_tensorrt_finds_its_pattern(self):
        for model in MODELS:
            graph = self.load(f"{model}_tensorrt_minmax").graph
            makers = {output: node for node in graph.node for output in node.output}
            constants = {one.name: numpy_helper.to_array(one) for one in graph.initializer}
            for node in graph.node:
                if node.op_type in ("Conv", "Gemm", "MatMul"):
                    self.assertEqual(["DequantizeLinear"] * 2, [makers[name].op_type for name in node.input[:2]], node.name)
                if node.op_type in ("QuantizeLinear", "DequantizeLinear"):
                    zero = constants[node.input[2]]
                    self.assertEqual((np.int8, 0), (zero.dtype, np.abs(zero).max()), node.name)

    def test_onnxruntime_computes_with_integers(self):
        for model, kernel in (("cnn", "QLinearConv"), ("residual", "QLinearConv"), ("mlp", "QGemm"),
                              ("attention", "MatMulIntegerToFloat")):
            path = self.folder / f"{model}_optimized.onnx"
            self.session(f"{model}_onnxruntime_minmax", optimized_model_filepath=str(path))
            found = operations(onnx.load(path).graph)
            self.assertIn(kernel, found, f"{model}: {found}")
            if kernel == "QLinearConv":  # nothing but integers from the first layer to the last
                self.assertFalse({"Conv", "FusedConv", "Gemm", "MatMul", "Add", "Relu", "GlobalAveragePool"} & set(found), f"{model}: {found}")
            print(f"{model} in onnxruntime: {' '.join(found)}")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=1)
