"""Values clamped and cast to eight bits."""

import numpy as np

from tl2hip import Tensor, f8e4m3, f32, kernel


@kernel
def clamp_cast(x: Tensor[f32, :], scale: f32, y: Tensor[f8e4m3, :]) -> None:
    """y = x * scale, held within what the type can say."""
    for i in range(len(x)):
        y[i] = f8e4m3(np.minimum(np.maximum(x[i] * scale, f32(-240)), f32(240)))
