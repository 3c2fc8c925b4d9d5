"""European option prices by the Black-Scholes formula."""

import math

from tl2hip import Tensor, dims, f32, kernel

N = dims("N")


@kernel
def black_scholes(
    spot: Tensor[f32, N],
    strike: Tensor[f32, N],
    years: Tensor[f32, N],
    rate: f32,
    volatility: f32,
    call: Tensor[f32, N],
    put: Tensor[f32, N],
) -> None:
    """Prices of a call and a put for each spot, strike and time to expiry (all above zero)."""
    for i in range(N):
        spread = volatility * math.sqrt(years[i])
        d1 = (math.log(spot[i] / strike[i]) + (rate + 0.5 * volatility * volatility) * years[i]) / spread
        d2 = d1 - spread
        cdf1 = 0.5 + 0.5 * math.erf(d1 / math.sqrt(2.0))
        cdf2 = 0.5 + 0.5 * math.erf(d2 / math.sqrt(2.0))
        discounted = strike[i] * math.exp(-rate * years[i])
        call[i] = spot[i] * cdf1 - discounted * cdf2
        put[i] = discounted * (1.0 - cdf2) - spot[i] * (1.0 - cdf1)
