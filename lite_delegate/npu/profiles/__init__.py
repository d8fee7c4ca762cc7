"""What differs between devices: one packaged TOML file per profile."""

from .profile import Limits, Profile, load_profile, profile_names

__all__ = ["Limits", "Profile", "load_profile", "profile_names"]
