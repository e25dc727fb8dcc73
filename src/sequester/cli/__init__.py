"""The command line: one file per verb, each loaded only when it is called."""

from __future__ import annotations

import _thread
import os
import signal
import sys
import threading
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

import click

from sequester import __version__
from sequester.cli.plain import plain_screen
from sequester.platform import ENDING

VERBS = {
    "inspect": "What is this file, and how would it be read?",
    "assess": "How identifying is the original?",
    "tune": "Risk, loss and time over a method's parameters.",
    "label": "Mark what is private in a few notes, on a page, so that more is hidden.",
    "publish": "Protect a source and write a verified bundle.",
    "verify": "Recompute the promise of a bundle.",
    "sign": "Put your signature below a bundle.",
    "attack": "What does an adversary achieve on a bundle?",
    "audit": "Does a method's noise keep the epsilon it states?",
    "measure": "How useful is what is left?",
    "query": "Ask a bundle; the original is never needed.",
    "report": "Write the public report of a bundle as HTML.",
    "methods": "Which methods there are, and what each promises.",
    "run": "Check a publication plan as a whole, then carry it out.",
    "account": "What all releases of the same people cost and tell together.",
    "federation": "Several sites, one release; rows stay at their site (experimental).",
    "workbench": "A page on this machine to do all of it by clicking.",
    "sample": "Write sample data of any kind as a file to try things on.",
    "demo": "Publish sample data of every kind and leave a tour to look at.",
}
"""Verb → its line in `sequester --help`; the command itself is `cli/VERB.py:command`."""


class Verbs(click.Group):
    """Loads a verb's module when the verb is used, and meets a misspelt verb kindly."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
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
        if args[0] not in VERBS and not args[0].startswith("-"):
            from difflib import get_close_matches

            close = get_close_matches(args[0], VERBS, n=1)
            hint = f" Did you mean '{close[0]}'?" if close else ""
            ctx.fail(f"no command '{args[0]}'; there are {', '.join(VERBS)}.{hint}")
        return super().resolve_command(ctx, args)


@click.group(cls=Verbs, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--debug", is_flag=True, help="Show the traceback of an error (it may contain values from your data).")
@click.option("--quiet", is_flag=True, help="Show no progress bars.")
@click.version_option(__version__, message="sequester %(version)s", help="Show the version.")
def cli(debug: bool, quiet: bool) -> None:
    """Publish sequential health data without publishing people.

    Start with `sequester demo`, or `sequester methods` to see which method fits your data.
    Exit codes: 0 done, 1 the promise does not hold, 2 bad input or usage; 130, 143 or 129 after Ctrl-C, SIGTERM or
    SIGHUP, and 141 when nobody reads the output any more. --debug and --quiet may stand anywhere on the line.
    """
    from sequester.cli.progress import watched

    click.get_current_context().with_resource(watched(quiet))


@contextmanager
def _notes() -> Iterator[None]:
    """Warnings become one line each on standard error, said once."""
    from sequester import SequesterWarning, _shell

    said: set[str] = set()

    def say(message: Warning | str, category: type[Warning], *place: Any) -> None:
        if issubclass(category, SequesterWarning) and str(message) not in said:
            said.add(str(message))
            words = _shell.spelled(message, _shell.as_flag) if isinstance(message, Warning) else message
            click.echo(f"note: {words}", err=True)

    with warnings.catch_warnings():
        warnings.simplefilter("always", SequesterWarning)
        warnings.showwarning = say  # type: ignore[assignment]
        yield


class Terminated(KeyboardInterrupt):
    """A request to end (SIGTERM) or a closed terminal (SIGHUP): they end the work as Ctrl-C does."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


ASKED: list[int] = []
"""Signals that asked this command to end: libraries may answer them with errors of their own."""


def _end(number: int, frame: Any) -> None:
    ASKED.append(number)
    while frame is not None:
        if frame.f_code is _ask_again.__code__:  # what is raised in there is lost like what it asks for again
            _ask_soon(number)
            return
        frame = frame.f_back
    raise KeyboardInterrupt if number == signal.SIGINT else Terminated(number)


@contextmanager
def _listening() -> Iterator[None]:
    """SIGTERM and SIGHUP end like Ctrl-C, unless whoever started us wants a signal ignored (nohup)."""
    ours = []
    if threading.current_thread() is threading.main_thread():
        ours = [n for n in ENDING if signal.getsignal(n) is signal.SIG_DFL]
        ours += [signal.SIGINT] if signal.getsignal(signal.SIGINT) is signal.default_int_handler else []
    ASKED.clear()
    for number in ours:
        signal.signal(number, _end)
    before, sys.unraisablehook = sys.unraisablehook, _ask_again
    try:
        yield
    finally:
        sys.unraisablehook = before
        for number in ours:
            signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)


def _ask_again(lost: Any) -> None:
    """A request to end that came while an object was cleared away, where Python cannot raise it, is made again."""
    if isinstance(lost.exc_value, KeyboardInterrupt):
        _ask_soon(getattr(lost.exc_value, "number", signal.SIGINT))
    else:
        sys.__unraisablehook__(lost)


def _ask_soon(number: int) -> None:
    """Unlike a timer, this does not wait until its thread runs."""

    def ask() -> None:
        time.sleep(0.01)
        _thread.interrupt_main(signal.Signals(number))

    _thread.start_new_thread(ask, ())


def _stopped(error: BaseException | None) -> NoReturn:
    code = 128 + error.number if isinstance(error, Terminated) else 130
    _say(f"sequester: stopped. {_standing(error)}")
    sys.exit(code)


def _standing(error: BaseException | None) -> str:
    """What is on the disk after a failure, as the pipeline tells it."""
    names = _finished(error)
    if not names:
        return "What was not finished was not published."
    return f"Finished before: {', '.join(names)}. Nothing else was published."


def _finished(error: BaseException | None) -> list[str]:
    """Bundles that are in place: those that the error tells of, or else all that this command has finished."""
    writing = sys.modules.get("sequester.bundle.atomic")
    names = getattr(error, "published", ()) or getattr(writing, "FINISHED", ())
    return [f"'{name}'" for name in dict.fromkeys(names)]


def _nothing(error: BaseException) -> str:
    names = _finished(error)
    return f"finished before: {', '.join(names)}" if names else "nothing was published"


def _say(sentence: str) -> None:
    with suppress(OSError):  # a closed terminal cannot be told
        click.echo(sentence, err=True)


def _interrupt_behind(error: BaseException | None) -> BaseException | None:
    """The interrupt that lies behind an error, if there is one: compiled code wraps it."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return error


def _run(arguments: list[str]) -> int:
    """The command; its exit code. Click's own `main` would turn a closed pipe into exit code 1."""
    try:
        with cli.make_context("sequester", arguments) as context:
            code = cli.invoke(context)
            sys.stdout.flush()
    except click.exceptions.Exit as asked:
        return asked.exit_code
    return code if isinstance(code, int) else 0


def main() -> None:
    """Entry point: errors become one sentence on standard error and an exit code."""
    with _listening(), plain_screen():
        _main()


def _main() -> None:
    from sequester import SequesterError, _shell

    getattr(sys.modules.get("sequester.bundle.atomic"), "FINISHED", []).clear()
    debug = "--debug" in sys.argv
    everywhere = [a for a in sys.argv[1:] if a == "--quiet"]  # these two are understood anywhere on the line
    arguments = everywhere[:1] + [a for a in sys.argv[1:] if a not in ("--debug", "--quiet")]
    try:
        with _notes():
            sys.exit(_run(arguments))
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except SequesterError as error:
        if debug:
            raise
        _say(f"sequester: {_shell.spelled(error, _shell.as_flag)}")
        if getattr(error, "published", ()):
            _say(f"sequester: {_standing(error)}")
        sys.exit(error.exit_code)
    except (KeyboardInterrupt, click.Abort) as error:
        _stopped(error)
    except BrokenPipeError:  # whoever read our output has seen enough
        _hush()
        sys.exit(141)
    except MemoryError as error:
        _say(f"sequester: not enough memory for this; {_nothing(error)}.")
        sys.exit(2)
    except OSError as error:
        if debug:
            raise
        which = f"'{Path(os.fsdecode(error.filename)).name}'" if isinstance(error.filename, (str, bytes)) else "a file"
        why = error.strerror or type(error).__name__
        _say(f"sequester: {which} cannot be read or written ({why}). Check the path.")
        sys.exit(2)
    except UnicodeDecodeError:
        if debug:
            raise
        _say("sequester: a file named by an option is not UTF-8 text; nothing was published.")
        sys.exit(2)
    except Exception as error:
        interrupt = _interrupt_behind(error) or (Terminated(ASKED[0]) if ASKED else None)
        if interrupt is not None:
            _stopped(interrupt)
        if debug:
            raise
        # The message of an unforeseen error may carry values from the data; its type does not.
        kind = type(error).__name__
        _say(f"sequester: an internal error ({kind}); {_nothing(error)}. --debug shows where.")
        sys.exit(2)


def _hush() -> None:
    """Whatever is still to be written goes nowhere, so that the interpreter does not stumble over it at its end."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            os.dup2(nowhere, stream.fileno())
