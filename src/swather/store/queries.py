"""SQL from files: one query, one file, named after its verb."""

from importlib.resources import files


class Queries:
    """`queries.claim` is the text of `queries/claim.sql` in the given package."""

    def __init__(self, package: str) -> None:
        folder = files(package) / "queries"
        self._texts = {
            entry.name.removesuffix(".sql"): entry.read_text(encoding="utf-8")
            for entry in folder.iterdir()
            if entry.name.endswith(".sql")
        }

    def __getattr__(self, name: str) -> str:
        try:
            return self._texts[name]
        except KeyError:
            raise AttributeError(f"there is no queries/{name}.sql") from None

    def names(self) -> list[str]:
        return sorted(self._texts)
