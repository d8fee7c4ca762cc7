"""Element types, formats, enumerations and versions of the schema."""
