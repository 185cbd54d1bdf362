"""PyTorch as a backend: tensors on the processor and on GPUs of NVIDIA, with gradients."""

from dalembert.kernel.backends.base import Backend
from dalembert.kernel.backends.torch.function import TorchKernel

BACKEND = Backend(TorchKernel, {"dtype": "float64"})
