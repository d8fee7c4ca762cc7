"""Running models, in rooms: binding <- execution <- planning, and records that all of them write."""
