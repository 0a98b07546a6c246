from conan import ConanFile


class Onnxruntime(ConanFile):
    name = "onnxruntime"
    description = "Inference of ONNX models (stand-in)"
    license = "MIT"
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False], "fPIC": [True, False], "with_xnnpack": [True, False], "with_cuda": [True, False]}
    default_options = {"shared": False, "fPIC": True, "with_xnnpack": False, "with_cuda": False}
    implements = ["auto_shared_fpic"]

    def requirements(self):  # of its dozen, the one that the project requires too
        self.requires("nlohmann_json/[>=3.11.3 <3.12]")

    def package_info(self):
        self.cpp_info.set_property("cmake_file_name", "onnxruntime")
        self.cpp_info.set_property("cmake_target_name", "onnxruntime::onnxruntime")
