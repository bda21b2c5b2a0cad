"""The Protocols through which rooms reach each other, one module a theme. `wiring` puts real objects behind them."""
