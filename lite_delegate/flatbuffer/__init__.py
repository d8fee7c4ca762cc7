"""Reading and writing flatbuffers along a schema, every byte checked before it is believed."""
