"""Programs on a GPU of NVIDIA: CUDA text, compiled by NVRTC through CuPy."""

from dalembert.kernel.backends.cuda.launch import CudaKernel
from dalembert.kernel.backends.cuda.source import cuda_source

__all__ = ["CudaKernel", "cuda_source"]
