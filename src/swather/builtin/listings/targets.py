"""Every city with every category, as targets: the largest cities first."""

from collections.abc import Iterator
from typing import Final

from swather.builtin.listings.params import Params
from swather.builtin.listings.us_cities import cities
from swather.errors import InputError
from swather.model.task import Target
from swather.scraping.target_lists import TargetList


def cities_and_categories(params: Params) -> Iterator[Target]:
    """Objects with state, city and category; the priority is by population. They are made one by
    one, so that all of them need no more memory than a few.
    """
    states = params.named_states
    if not states:
        raise InputError(
            "nothing to search: name states with --states CA,TX or --states all, or targets with "
            "--targets FILE"
        )
    for city in cities(states):
        if city.population < params.min_population:
            # They come by population.
            return
        for category in params.named_categories:
            yield Target(
                value={"state": city.state, "city": city.name, "category": category},
                priority=city.priority,
            )


US_CITIES: Final = TargetList(Params, cities_and_categories)
