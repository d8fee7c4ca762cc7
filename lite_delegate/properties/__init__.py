"""Properties: named, typed values of the core, devices, compiled models and requests, in one registry each."""

from .explain import Explanation, Layer, Opinion
from .kinds import Callables, Choice, Integer, Kind, NameList, Or, Text, YesNo, parsed, words_of
from .name import PropertyName
from .registry import Registry, mapping_of
from .shown import as_text, shown
from .spec import Access, PropertySpec
from .store import PropertyStore
from .values import Values

__all__ = [
    "Access",
    "Callables",
    "Choice",
    "Explanation",
    "Integer",
    "Kind",
    "Layer",
    "NameList",
    "Opinion",
    "Or",
    "PropertyName",
    "PropertySpec",
    "PropertyStore",
    "Registry",
    "Text",
    "Values",
    "YesNo",
    "as_text",
    "mapping_of",
    "parsed",
    "shown",
    "words_of",
]
