"""The rest: nodes that all delegates leave to the CPU, and the runtimes there that compute some of them."""
