"""The Protocols through which rooms reach each other, one module a theme. `app` puts real objects behind them."""
