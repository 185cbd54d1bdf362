"""Kernels as differentiable functions of PyTorch's tensors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import EvaluationError, UnknownName
from dalembert.expr import parameters, sin
from dalembert.kernel.backends.torch import torch_function
from dalembert.kernel.compiler import compile_program
from dalembert.kernel.program.program import Program

torch: Any = pytest.importorskip("torch", reason="needs PyTorch: pip install torch")


def devices() -> list[str]:
    return ["cpu", "cuda"] if torch.cuda.is_available() else ["cpu"]


def two_ports() -> Program:
    """Return y = [a sin(x₁) x₂, x₁ a²], z = x₁ x₂² of x = (x₁, x₂) and a scalar a."""
    x1, x2, a = parameters("x1 x2 a")
    outputs = {"y": [a * sin(x1) * x2, x1 * a**2], "z": x1 * x2**2}
    return compile_program(outputs, {"x": [x1, x2], "a": a}, name="two_ports")


def in_torch(x: Any, a: Any) -> tuple[Any, Any]:
    """Return the same in PyTorch's own functions."""
    y = torch.stack([a * torch.sin(x[..., 0]) * x[..., 1], x[..., 0] * a**2], dim=-1)
    return y, x[..., 0] * x[..., 1] ** 2


def tensors(device: str, *axes: int, seed: int = 0) -> tuple[Any, Any]:
    draw = torch.Generator().manual_seed(seed)
    x = torch.randn((*axes, 2), generator=draw, dtype=torch.float64)
    a = torch.randn(axes, generator=draw, dtype=torch.float64)
    return x.to(device).requires_grad_(), a.to(device).requires_grad_()


@pytest.mark.parametrize("device", devices())
@pytest.mark.parametrize("axes", [(), (5,), (2, 3)])
def test_values_and_gradients(device: str, axes: tuple[int, ...]) -> None:
    f, given = torch_function(two_ports()), tensors(device, *axes)
    for mine, other in zip(f(*given), in_torch(*given), strict=True):
        assert mine.device == other.device
        torch.testing.assert_close(mine, other, rtol=1e-13, atol=1e-14)
    losses = [sum((part**2).sum() for part in g(*given)) for g in (f, in_torch)]
    ours, theirs = (torch.autograd.grad(loss, given) for loss in losses)
    torch.testing.assert_close(ours, theirs, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("device", devices())
def test_first_and_second_derivatives_are_those_of_differences(device: str) -> None:
    f, given = torch_function(two_ports()), tensors(device, 3)
    assert torch.autograd.gradcheck(f, given)
    assert torch.autograd.gradgradcheck(f, given)


@pytest.mark.filterwarnings("ignore:`torch.jit.script` is deprecated")
@pytest.mark.parametrize("device", devices())
def test_functional_transformations(device: str) -> None:
    f = torch_function(two_ports())
    x, a = (t.detach() for t in tensors(device, 4))
    for axes, given in (((0, 0), (x, a)), ((0, None), (x, a[0])), ((None, 0), (x[0], a))):

        def loss(g: Any) -> Any:
            return lambda x, a: sum((part**2).sum() for part in g(x, a))

        mine = torch.func.vmap(torch.func.grad(loss(f), argnums=(0, 1)), axes)(*given)
        other = torch.func.vmap(torch.func.grad(loss(in_torch), argnums=(0, 1)), axes)(*given)
        torch.testing.assert_close(mine, other, rtol=1e-12, atol=1e-13)
    forward = torch.func.jacfwd(lambda x: f(x, a[0])[0])(x[0])
    expected = torch.func.jacrev(lambda x: in_torch(x, a[0])[0])(x[0])
    torch.testing.assert_close(forward, expected, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("device", devices())
def test_shared_inputs_have_the_sum_of_gradients(device: str) -> None:
    f = torch_function(two_ports())
    x, _ = tensors(device, 6)
    _, a = tensors(device, seed=1)
    ours = torch.autograd.grad(f(x, a)[0].sum(), (x, a))
    theirs = torch.autograd.grad(in_torch(x, a)[0].sum(), (x, a))
    torch.testing.assert_close(ours, theirs, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("device", devices())
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_dynamics_of_a_robot(device: str, dtype: str) -> None:
    model = da.compile(da.textbook.robots.panda())
    fast = model.torch(dtype=dtype)
    arrays = np.random.default_rng(0).uniform(-1, 1, (3, 50, 7))
    kind = getattr(torch, dtype)
    given = [torch.tensor(x, dtype=kind, device=device, requires_grad=True) for x in arrays]
    found: Any = fast.forward_dynamics(*given)
    tolerance = 1e-9 if dtype == "float64" else 2e-3
    expected = model.forward_dynamics(*arrays)
    np.testing.assert_allclose(found.detach().cpu(), expected, rtol=tolerance, atol=tolerance)
    grads = torch.autograd.grad(found.sum(), given)
    slopes = model.forward_dynamics_derivatives(*arrays)
    for grad, slope in zip(grads, slopes, strict=True):
        total = slope.sum(axis=-2)
        scale = np.abs(total).max()
        np.testing.assert_allclose(grad.cpu(), total, rtol=0, atol=tolerance * scale)


def test_training_step_learns_a_mass() -> None:
    """Gradient descent through 20 steps of a simulation finds the payload that made a motion."""
    (q,), (m, g, u) = da.coordinates("q"), (*da.parameters("m g"), *da.inputs("u"))
    pendulum = da.System(
        kinetic=m * q.dot**2 / 2, potential=-m * g * da.cos(q), coordinates=[q], forces=[u]
    )
    model = da.compile(pendulum, "torch", parameters={g: 9.81})

    def motion(mass: Any) -> Any:
        x, v = torch.tensor([0.5], dtype=torch.float64), torch.zeros(1, dtype=torch.float64)
        for _ in range(20):
            force = torch.ones(1, dtype=torch.float64)
            v = v + 0.05 * model.forward_dynamics(x, v, force, parameters=mass)
            x = x + 0.05 * v
        return x

    target = motion(torch.tensor([2.0], dtype=torch.float64))
    mass = torch.tensor([1.0], dtype=torch.float64, requires_grad=True)
    optimiser = torch.optim.LBFGS([mass], max_iter=50, tolerance_grad=1e-12)

    def closure() -> Any:
        optimiser.zero_grad()
        loss = ((motion(mass) - target) ** 2).sum()
        loss.backward()
        return loss

    optimiser.step(closure)
    assert abs(mass.item() - 2) < 1e-3


def test_refusals() -> None:
    f = torch_function(two_ports())
    with pytest.raises(EvaluationError, match="expected float64 for x of two_ports, got torch"):
        f(torch.zeros(2), torch.zeros((), dtype=torch.float64))
    with pytest.raises(EvaluationError, match="expected 2 arrays for two_ports"):
        f(torch.zeros(2, dtype=torch.float64))
    with pytest.raises(UnknownName, match="float64 or float32"):
        torch_function(two_ports(), "float16")
