"""tensorrt_link_test.py LIBRARY...: the files of the TensorRT backend compile without a warning against the real headers, at
TENSORRT_ROOT or where the system has them, link with the real lean runtime (from PyPI) and, where there is no GPU, end with one
line and exit code 2. LIBRARY... are those that they stand on; ONNX Runtime is not among them. Without the headers it is skipped: NVIDIA puts them
into no package of PyPI."""

import os
import re
import subprocess
import sys
import sysconfig
import tempfile
import unittest
from pathlib import Path

import judges

REPOSITORY = Path(__file__).resolve().parents[2]
SKIPPED = 77


def find(file: str, roots: list[str]) -> Path | None:
    folders = ("include", "include/x86_64-linux-gnu", "include/aarch64-linux-gnu", "targets/x86_64-linux/include", "lib", "lib64",
               "targets/x86_64-linux/lib", "lib/x86_64-linux-gnu")
    return next((path for root in roots if root for folder in folders if (path := Path(root) / folder / file).exists()), None)


HEADER = find("NvInferVersion.h", [os.getenv("TENSORRT_ROOT"), "/usr", "/usr/local/tensorrt", "/opt/tensorrt"])
CUDA_ROOTS = [os.getenv("CUDA_PATH"), os.getenv("CUDA_HOME"), "/usr/local/cuda", "/usr"]
CUDA_HEADER = find("cuda_runtime_api.h", CUDA_ROOTS)
CUDA_LIBRARY = find("libcudart_static.a", CUDA_ROOTS)
SOURCES = sorted(file for name in ("cuda_*", "tensorrt_*", "onnx_facts", "plan_cache", "sealed_file")
                 for file in REPOSITORY.glob(f"base/infer/{name}.cpp"))


def major_version() -> str:
    return re.search(r"(?:NV_TENSORRT|TRT)_MAJOR(?:_ENTERPRISE)? (\d+)", HEADER.read_text())[1]


def has_gpu() -> bool:
    try:
        return subprocess.run(["nvidia-smi"], capture_output=True).returncode == 0
    except FileNotFoundError:
        return False


class TensorRtLink(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.major = major_version()
        print(f"TensorRT {cls.major} from {HEADER.parent}, CUDA from {CUDA_HEADER.parent}", flush=True)
        cls.objects = []
        for source in [*SOURCES, REPOSITORY / "tests/e2e/tensorrt_probe.cpp"]:
            cls.objects.append(cls.folder / f"{source.stem}.o")
            subprocess.run([os.getenv("CXX", "c++"), "-std=c++20", "-O1", "-fPIC", "-Wall", "-Wextra", "-Wpedantic", "-Werror",
                            f"-I{REPOSITORY}", "-isystem", HEADER.parent, "-isystem", CUDA_HEADER.parent, "-c", source,
                            "-o", cls.objects[-1]], check=True)
        cls.lean = next((Path(sysconfig.get_paths()["purelib"]) / "tensorrt_lean_libs").glob("libnvinfer_lean.so.*"))
        cls.probe = cls.folder / "probe"
        subprocess.run([os.getenv("CXX", "c++"), "-o", cls.probe, *cls.objects, "-Wl,--start-group", *sys.argv[1:], "-Wl,--end-group",
                        cls.lean, CUDA_LIBRARY, "-lspdlog", "-lfmt", "-lpthread", "-ldl", "-lrt", f"-Wl,-rpath,{cls.lean.parent}"],
                       check=True)
        (cls.folder / "foreign.plan").write_bytes(b"ftrt" + bytes(5000))

    def run_probe(self, **variables) -> subprocess.CompletedProcess:
        return subprocess.run([self.probe, "model.onnx", self.folder / "foreign.plan"], text=True, capture_output=True,
                              env={**os.environ, **variables}, timeout=60)

    def test_the_real_lean_runtime_is_linked_and_loaded(self):
        needed = subprocess.run(["readelf", "-d", self.probe], text=True, capture_output=True, check=True).stdout
        self.assertIn(f"libnvinfer_lean.so.{self.major}", needed)
        lines = self.run_probe(TENSORRT_ROOT=str(self.lean.parent)).stdout.splitlines()
        print(lines[0])
        version = re.fullmatch(r"linked (\d+), loaded ((\d+)\.(\d+)\.(\d+)\.\d+), lean 1", lines[0])
        self.assertEqual(int(version[1]), int(version[3]) * 10000 + int(version[4]) * 100 + int(version[5]))
        self.assertEqual(lines[1], f"the lean runtime of TensorRT builds no plans: {version[2]}")

    @unittest.skipIf(has_gpu(), "there is a GPU")
    def test_without_a_gpu_it_says_so_in_one_line(self):
        result = self.run_probe(TENSORRT_ROOT=str(self.lean.parent))
        self.assertRegex(result.stderr, r"\Adevice error: TensorRT needs a GPU: CUDA finds no NVIDIA GPU with its driver: [^\n]+\n\Z")
        self.assertEqual(2, result.returncode)

    @unittest.skipUnless(has_gpu(), "there is no GPU")
    def test_with_a_gpu_a_foreign_plan_is_refused_in_the_words_of_tensorrt(self):
        result = self.run_probe(TENSORRT_ROOT=str(self.lean.parent))
        self.assertRegex(result.stderr, r"\Abackend error: TensorRT does not take the plan: 5004 bytes: .+\n")
        self.assertEqual(9, result.returncode)

    def test_every_entry_point_is_loaded_and_none_linked(self):
        symbols = subprocess.run(["nm", "-u", "-C", *(o for o in self.objects if o.stem != "tensorrt_probe")], text=True,
                                 capture_output=True, check=True).stdout
        self.assertEqual([], re.findall(r"\b(?:createInfer\w+|createNvOnnx\w+|getInferLib\w+|getPluginRegistry)", symbols))


if __name__ == "__main__":
    missing = [name for name, path in (("NvInferVersion.h (set TENSORRT_ROOT)", HEADER), ("cuda_runtime_api.h", CUDA_HEADER),
                                       ("libcudart_static.a", CUDA_LIBRARY)) if path is None]
    if missing:
        print(f"skipped: not on this machine: {', '.join(missing)}")
        sys.exit(SKIPPED)
    judges.enter_environment(f"tensorrt-{major_version()}")
    unittest.main(argv=sys.argv[:1])
