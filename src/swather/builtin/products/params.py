"""What can be asked of `products`."""

from dataclasses import dataclass
from typing import Annotated, Literal

from swather.model.countries import no_country
from swather.net.request import is_http
from swather.scraping.site.template import Template

Site = Literal["any", "argentina", "india", "malaysia", "netherlands", "quebec", "russia", "taiwan"]


@dataclass(frozen=True, kw_only=True)
class Params:
    """Which pages, and how their prices are written."""

    site: Annotated[
        Site,
        "The layout of the pages, by its site file; 'any' takes product pages with JSON-LD or "
        "microdata.",
    ] = "any"
    country: Annotated[
        str,
        "Whose notation and currency prices have: in, nl, ca-qc …; default: that of the site.",
    ] = ""
    address: Annotated[
        str,
        "Where targets that are codes are looked up: 'https://example.com/drug?code={code}'.",
    ] = ""

    def __post_init__(self) -> None:
        code = self.country.lower().partition("-")[0]
        if self.country and (why := no_country(code)):
            raise ValueError(f"'country': {why}")
        if self.address:
            self._check_address()

    def _check_address(self) -> None:
        template = Template(self.address)
        if not is_http(self.address) or "{" in self.address.split("/")[2]:
            raise ValueError(
                f"'address': expected a URL with http:// or https:// and its host, got "
                f"{self.address!r}"
            )
        if len(template.fields) != 1:
            raise ValueError(
                f"'address': expected one field such as {{code}} in it, got {self.address!r}"
            )
