"""Which devices there are: their names, the delegates behind them, and whether they are present."""
