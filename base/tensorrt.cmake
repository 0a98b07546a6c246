# Sets SCAFFOLD_HAS_TENSORRT, and TENSORRT_INCLUDE_DIR if so. Headers of TensorRT and CUDA's runtime are all that is needed here:
# TensorRT's libraries are loaded when a program runs its first plan.
set(SCAFFOLD_HAS_TENSORRT OFF)
if(SCAFFOLD_WITH_TENSORRT)  # AUTO counts as true
  find_package(TensorRT CONFIG QUIET)  # Conan's, from conan/recipes/tensorrt
  if(TARGET TensorRT::nvinfer AND NOT TENSORRT_INCLUDE_DIR)
    get_target_property(TENSORRT_INCLUDE_DIR TensorRT::nvinfer INTERFACE_INCLUDE_DIRECTORIES)
  endif()
  find_path(TENSORRT_INCLUDE_DIR NvOnnxParser.h HINTS ENV TENSORRT_ROOT PATHS /usr/local/tensorrt /opt/tensorrt
            PATH_SUFFIXES include targets/${CMAKE_SYSTEM_PROCESSOR}-linux-gnu/include)
  find_package(CUDAToolkit QUIET)
  if(TENSORRT_INCLUDE_DIR AND TARGET CUDA::cudart_static)
    set(SCAFFOLD_HAS_TENSORRT ON)
    message(STATUS "TensorRT: headers in ${TENSORRT_INCLUDE_DIR}, CUDA ${CUDAToolkit_VERSION}")
  elseif(NOT SCAFFOLD_WITH_TENSORRT STREQUAL "AUTO")
    message(FATAL_ERROR "TensorRT was asked for, and NvInfer.h and NvOnnxParser.h (set TENSORRT_ROOT) or CUDA's runtime "
                        "(set CUDAToolkit_ROOT) was not found: see docs/tensorrt.md, or give -DSCAFFOLD_WITH_TENSORRT=OFF")
  endif()
endif()
