"""Programs as functions of PyTorch's tensors, with exact derivatives."""

from dalembert.kernel.backends.torch.function import TorchKernel, torch_function

__all__ = ["TorchKernel", "torch_function"]
