"""Arguments and options of commands, and the models, inputs and files that they ask for."""
