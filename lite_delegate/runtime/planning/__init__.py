"""Planning: the order, the delegates' turns, repair, and the record of which kernel runs where."""
