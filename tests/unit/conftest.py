"""How Hypothesis searches here."""

from hypothesis import settings

settings.register_profile("unit", deadline=None, max_examples=40)
settings.load_profile("unit")
