"""Fusion: steps that become part of the step before them."""

from .fold_affine import FoldAffine
from .fuse_activations import FuseActivations
from .fuse_pools import FusePools

__all__ = ["FoldAffine", "FuseActivations", "FusePools"]
