"""The categories that are searched for in each city, unless others are named."""

from typing import Final

CATEGORIES: Final = (
    "accountants", "attorneys", "auto repair", "bakeries", "beauty salons", "carpet cleaning",
    "chiropractors", "contractors", "dentists", "electricians", "florists", "funeral homes",
    "gyms", "hardware stores", "hotels", "insurance", "landscaping", "locksmiths", "movers",
    "painters", "pest control", "pharmacies", "photographers", "physicians", "plumbers",
    "pressure washing", "real estate", "restaurants", "roofing", "veterinarians",
)  # fmt: skip
