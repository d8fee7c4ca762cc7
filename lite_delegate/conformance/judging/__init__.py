"""Cases, the reference they are judged by, and tolerances."""
