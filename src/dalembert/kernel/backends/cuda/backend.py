"""CUDA as a backend: arrays of CuPy, JAX and PyTorch on a GPU."""

from dalembert.kernel.backends.base import Backend
from dalembert.kernel.backends.cuda.launch import CudaKernel
from dalembert.kernel.backends.cuda.loop.launch import CudaLoop

BACKEND = Backend(CudaKernel, {"dtype": "float32"}, CudaLoop)
