"""The command line: one file per verb, each loaded only when it is called."""

from __future__ import annotations

import os
import re
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

import click

VERBS = {
    "assess": "How identifying is the original?",
    "tune": "Risk, loss and time over a method's parameters.",
    "publish": "Protect a source and write a verified bundle.",
    "verify": "Recompute the promise of a bundle.",
    "attack": "What does an adversary achieve on a bundle?",
    "audit": "Does a method's noise keep the epsilon it states?",
    "measure": "How useful is what is left?",
    "query": "Ask a bundle; the original is never needed.",
    "report": "Write the public report of a bundle as HTML.",
    "methods": "Which methods there are, and what each promises.",
    "run": "Check a publication plan as a whole, then carry it out.",
    "account": "What all releases of the same people cost and tell together.",
    "sample": "Write sample data of any kind as a file to try things on.",
    "demo": "Publish sample data of every kind and leave a tour to look at.",
}
"""Verb → its line in `sequester --help`; the command itself is `cli/VERB.py:command`."""


class Verbs(click.Group):
    """Loads a verb's module when the verb is used, and meets a misspelt verb kindly."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """In the order of the work."""
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The verb's command."""
        if cmd_name not in VERBS:
            return None
        return import_module(f"sequester.cli.{cmd_name}").command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of verbs, without loading any."""
        with formatter.section("Commands"):
            formatter.write_dl(list(VERBS.items()))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Suggest the nearest verb."""
        if args[0] not in VERBS and not args[0].startswith("-"):
            from difflib import get_close_matches

            close = get_close_matches(args[0], VERBS, n=1)
            hint = f" Did you mean '{close[0]}'?" if close else ""
            ctx.fail(f"no command '{args[0]}'; there are {', '.join(VERBS)}.{hint}")
        return super().resolve_command(ctx, args)


def _version(ctx: click.Context, _param: click.Parameter, wanted: bool) -> None:
    if wanted:
        from sequester import __version__

        click.echo(f"sequester {__version__}")
        ctx.exit()


@click.group(cls=Verbs, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--debug", is_flag=True, help="Show the traceback of an error (it may contain values from your data).")
@click.option("--version", is_flag=True, is_eager=True, expose_value=False, callback=_version, help="Show the version.")
def cli(debug: bool) -> None:
    """Publish sequential health data without publishing people.

    Start with `sequester demo`, or `sequester methods` to see which method fits your data.
    Exit codes: 0 done, 1 the promise does not hold, 2 bad input or usage.
    """


def _with_flags(message: str) -> str:
    """A hint in the words of the command line: what is `person='id'` in Python is `--person 'id'` here."""
    hint = r"\b([Pp]ass|with|both|needs|or|and) ([a-z][a-z_]*)=('[^']*'|True)?"

    def flag(m: re.Match[str]) -> str:
        value, after = m[3] or "", m.string[m.end() :][:1]
        if m[1] in ("with", "or", "and") and not value and after.isalnum():
            return m[0]  # a parameter as it was given, such as "p=5 with k=3"
        written = f"{m[1]} --{m[2].replace('_', '-')}"
        return written if value == "True" else f"{written} {value}" if value or after.isalnum() else written

    return re.sub(hint, flag, message)


@contextmanager
def _notes() -> Iterator[None]:
    """Warnings become one line each on standard error, said once."""
    from sequester import SequesterWarning

    said: set[str] = set()

    def say(message: Warning | str, category: type[Warning], *place: Any) -> None:
        if issubclass(category, SequesterWarning) and str(message) not in said:
            said.add(str(message))
            click.echo(f"note: {_with_flags(str(message))}", err=True)

    with warnings.catch_warnings():
        warnings.simplefilter("always", SequesterWarning)
        warnings.showwarning = say  # type: ignore[assignment]
        yield


def _stopped() -> NoReturn:
    click.echo("sequester: stopped. What was not finished was not published.", err=True)
    sys.exit(130)


def _interrupted(error: BaseException | None) -> bool:
    """Whether an interrupt lies behind an error: compiled code wraps it."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return error is not None


def main() -> None:
    """Entry point: errors become one sentence on standard error and an exit code."""
    from sequester import SequesterError

    debug = "--debug" in sys.argv
    arguments = [a for a in sys.argv[1:] if a != "--debug"]  # it is understood anywhere on the line
    try:
        with _notes():
            # Not standalone: click would turn an interrupt into exit code 1, which here says a promise is broken.
            code = cli.main(args=arguments, prog_name="sequester", standalone_mode=False)
        sys.stdout.flush()
        sys.exit(code if isinstance(code, int) else 0)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except SequesterError as error:
        if debug:
            raise
        click.echo(f"sequester: {_with_flags(str(error))}", err=True)
        sys.exit(error.exit_code)
    except (KeyboardInterrupt, click.Abort):
        _stopped()
    except BrokenPipeError:  # whoever read our output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(141)
    except MemoryError:
        click.echo("sequester: not enough memory for this; nothing was published.", err=True)
        sys.exit(2)
    except OSError as error:
        if debug:
            raise
        which = f"'{Path(os.fsdecode(error.filename)).name}'" if isinstance(error.filename, (str, bytes)) else "a file"
        why = error.strerror or type(error).__name__
        click.echo(f"sequester: {which} cannot be read or written ({why}). Check the path.", err=True)
        sys.exit(2)
    except UnicodeDecodeError:
        if debug:
            raise
        click.echo("sequester: a file named by an option is not UTF-8 text; nothing was published.", err=True)
        sys.exit(2)
    except Exception as error:
        if _interrupted(error):
            _stopped()
        if debug:
            raise
        # The message of an unforeseen error may carry values from the data; its type does not.
        kind = type(error).__name__
        click.echo(f"sequester: an internal error ({kind}); nothing was published. --debug shows where.", err=True)
        sys.exit(2)
