"""Commands that take a scraper: its parameters are options of theirs, --max-depth for max_depth.

A scraper is loaded for this only when there is an option that the command itself does not have, or
when the command's help is asked for with a scraper's name.
"""

from typing import TYPE_CHECKING, Any

import typer

from swather.cli.group import Command

if TYPE_CHECKING:
    from swather.scraping.scraper import Scraper


class ScraperCommand(Command):
    """A command with an argument `scraper` and a list of 'name=value' texts, `params`."""

    _scraper: "Scraper | None" = None
    _options: tuple[Any, ...] = ()

    def get_params(self, ctx: Any) -> list[Any]:
        return [*super().get_params(ctx), *self._options]

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        self._load_if_needed(ctx, args)
        try:
            left = super().parse_args(ctx, args)
        except typer.TyperException as error:
            self._explain(error)
            raise
        if self._options:
            from swather.cli.param_options import pairs_of

            given = list(ctx.params.get("params") or ())
            for option in self._options:
                given += pairs_of(option, ctx.params.pop(option.name))
            ctx.params["params"] = given
        return left

    def format_options(self, ctx: Any, formatter: Any) -> None:
        own, self._options = self._options, ()
        super().format_options(ctx, formatter)
        self._options = own
        if self._scraper is None:
            return
        from swather.cli.param_options import rows_without_option

        if about := _about(self._scraper)[0]:
            with formatter.section(f"The scraper {self._scraper.name}"):
                formatter.write_text(about)
        rows = [option.get_help_record(ctx) for option in own]
        rows += rows_without_option(self._scraper, self._flags())
        if rows:
            with formatter.section(f"Options of {self._scraper.name}"):
                formatter.write_dl(rows)

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """The examples of the scraper, if it has any, say more than those of the command."""
        examples = "" if self._scraper is None else _about(self._scraper)[1]
        given, self.epilog = self.epilog, examples or self.epilog
        super().format_epilog(ctx, formatter)
        self.epilog = given

    def _load_if_needed(self, ctx: Any, args: list[str]) -> None:
        parser = self.make_parser(ctx)
        parser.ignore_unknown_options = True
        try:
            seen, left, _ = parser.parse_args(list(args))
        except typer.TyperException:
            # The parser that knows all options says it better.
            return
        spec = seen.get("scraper")
        words = [*(seen.get("targets") or ()), *left]
        if isinstance(target := seen.get("target"), str):
            words.append(target)
        if spec is None or spec.startswith("-"):
            return
        if "help" in seen or any(word.startswith("-") and word != "-" for word in words):
            from swather.cli.param_options import options_of
            from swather.scraping import registry

            self._scraper = registry.load(spec)
            self._options = tuple(options_of(self._scraper, self._flags()))

    def _flags(self) -> set[str]:
        """Those that the command has itself."""
        return {flag for each in self.params for flag in (*each.opts, *each.secondary_opts)}

    def _explain(self, error: Any) -> None:
        """For an unknown option: the nearest, or where it would have been looked for."""
        if not getattr(error, "message", "").startswith("No such option"):
            return
        if nearest := getattr(error, "possibilities", None):
            error.possibilities = nearest[:1]
        elif self._scraper is None:
            error.message += "; options of a scraper come after its name"
        elif self._scraper.options.params is None:
            error.message += f"; {self._scraper.name!r} declares no params, -p takes any"


def _about(scraper: "Scraper") -> tuple[str, str]:
    """What its docstring says, and the commands in it: the lines that are indented."""
    import inspect
    from textwrap import dedent

    paragraphs = (inspect.getdoc(scraper.function) or "").split("\n\n")
    commands = [dedent(each) for each in paragraphs if each.startswith("    swather ")]
    told = [each for each in paragraphs if not each.startswith("    ")]
    return "\n\n".join(told), "\n".join(commands)
