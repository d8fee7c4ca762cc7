"""Options of commands about data sets: rows, engines, and the model that workers make."""
