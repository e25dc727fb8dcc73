"""A newcomer's mistakes are met with a sentence that says what to do."""

import sys

import pytest

import sequester as sq
from sequester.cli import main
from sequester.kinds import KINDS


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("newcomer")
    sq.write_sample("text", place / "notes", n_people=5)
    sq.write_sample("activity", place / "minutes.csv", n_people=5)
    (place / "old.private").mkdir()
    (place / "empty").mkdir()
    (place / "old.private" / "custodian.json").write_text("{}")
    return place


@pytest.fixture
def say(folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)

    def run(line):
        monkeypatch.setattr(sys, "argv", ["sequester", *line.split()])
        with pytest.raises(SystemExit) as stopped:
            main()
        out = capsys.readouterr()
        return stopped.value.code or 0, " ".join((out.out + out.err).split())

    return run


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("publish mcka notes --k 5 --out x.bundle",
         "It looks like text data; for that there are: k-repeats, k-words, word-frequency."),
        ("publish k-repeats minutes.csv --k 5 --out x.bundle", "Pass --text one of them. It looks like activity data"),
        ("publish mcka minutes.csv --k 5 --out x.bundle",
         "Its columns offer roles: --person person --start start --end end --state state"),
        ("publish mcka minutes.csv --person persn --k 5 --out x.bundle", "Pass --person person?"),
        ("publish k-repeats notes --out x.bundle",
         "Missing option '--k'. How many must share every visible run, at least 2."),
        ("publish k-words notes --k 2 --out x.bundle", "units and endings. Choose from de, en, es, fr, ja."),
        ("publish k-repeats notes --k 1 --out x.bundle",
         "sequester: KRepeats: k must be a whole number of at least 2, got k=1."),
        ("publish k-repeats notes",
         "Missing options: --k (How many must share every visible run, at least 2); --out (The bundle to write, "
         "usually NAME.bundle)."),
        ("publish mcka minutes.csv --id person --k 5 --out x.bundle",
         "No such option '--id'. The column is named with --person."),
        ("publish mcka minutes.csv --date time --k 5 --out x.bundle",
         "No such option '--date'. The column is named with --time."),
        ("publish markov-ratio minutes.csv --value state --epsilon 1 --out x.bundle",
         "No such option '--value'. Columns are named by what they hold: --person, --time, --state."),
        ("publish kapra minutes.csv --columns a,b --k 5 --p 2 --out x.bundle",
         "No such option '--columns'. Columns are named by what they hold: --person, --time, --value, --quasi, "
         "--sensitive."),
        ("publish k-repeats notes --person folder --k 2 --out notes/x.bundle",
         "sequester: publish: 'x.bundle' would lie inside the source 'notes'. Choose another place."),
        ("publish k-repeats notes --person folders --k 5 --out x.bundle",
         "Pass --person folder when each subfolder is one person, --person each when each file is, or leave it out."),
        ("publish k-repeats notes --keep ward site --k 5 --out x.bundle",
         "Got unexpected extra argument (site). Names in a list are joined by commas; a name with a space stands in "
         "quotes."),
        ("publish k-repeats notes --k 5 --k=6 --out x.bundle", "--k is given twice. Give it once."),
        ("assess notes --person folder --sample 5 --sample 6", "--sample is given twice. Give it once."),
        ("publish k-repeats notes --kk 5 --out x.bundle", "No such option '--kk'."),
        ("publish notes --k 5",
         "sequester: publish: 'notes' is a source; the method comes before it: sequester publish METHOD notes --out "
         "NAME.bundle. `sequester methods` helps to choose."),
        ("publish k-repeat notes --k 5 --out x.bundle", "Did you mean 'k-repeats'?"),
        ("publish k-repeats nots --k 5 --out x.bundle",
         "sequester: read_corpus: 'nots' does not exist. Check the path."),
        ("verify empty/x.bundle", "sequester: open: 'x.bundle' does not exist. Check the path."),
        ("verify notes", "sequester: open: 'notes' is not a bundle; it has no manifest.json."),
        ("verify old.private", "sequester: open: 'old.private' is the custodian's folder. The bundle is 'old.bundle'."),
        ("verify minutes.csv", "sequester: open: 'minutes.csv' is a file; a bundle is a folder."),
        ("pubish k-repeats", "Did you mean 'publish'?"),
        ("sample tex --out a", "'tex' is not one of 'text', 'series', 'activity', 'events', 'symbols'."),
        ("sample text --out notes", "sequester: sample: 'notes' exists. Choose another name or remove it first."),
        ("sample text --out notes.csv",
         "sequester: sample: text data is written as a folder or .jsonl, 'notes.csv' is neither. Change the name."),
        ("sample events --out notes.txt",
         "sequester: sample: events data is written as .csv, 'notes.txt' is not. Change the name."),
        ("demo --out notes", "sequester: demo: 'notes' exists and is not an earlier demo. Choose another --out."),
        ("run notes", "sequester: run: 'notes' is a folder; a plan is a TOML file."),
        ("methods k-repeat", "Did you mean 'k-repeats'?"),
    ],
)  # fmt: skip
def test_mistakes_are_met_kindly(say, folder, line, sentence):
    code, told = say(line)
    assert code == 2 and sentence in told, told
    assert "Traceback" not in told and not (folder / "x.bundle").exists()


def test_methods_explains_the_choice(say):
    code, told = say("methods")
    assert code == 0
    for words in ("Choose by what your data looks like", "text: words: notes", "grade: verified, protects each person",
                  "as-published a paper's procedure", "sequester sample KIND"):  # fmt: skip
        assert words in told, words
    for method_id in sq.METHODS:
        assert f" {method_id} " in told
    code, told = say("methods text")
    assert "k-repeats" in told and "mcka" not in told
    code, told = say("methods k-repeats")
    assert (
        "Not covered:" in told
        and " count_in:" in told
        and "--spans:" in told
        and "sequester publish k-repeats SOURCE" in told
    )


@pytest.mark.parametrize("kind", list(KINDS))
def test_sample_files_come_back_as_they_were(kind, tmp_path):
    data = sq.sample(kind, seed=3)
    roles = {
        "text": {"person": "folder"},
        "series": {"person": "person", "sensitive": ("stay_days", "outcome")},
        "activity": {"person": "person", "start": "start", "end": "end", "state": "state",
                     "covariates": ("grade", "wellbeing")},
        "events": {"person": "person", "time": "time", "state": "state"},
        "symbols": {"person": "person", "value": ("symbol",), "symbolize": "none"},
    }[kind]  # fmt: skip
    path = tmp_path / ("source" if kind == "text" else "source.csv")
    again = sq.reader(kind)(sq.write_sample(kind, path, seed=3), **roles)
    assert (again.n_records, again.n_people) == (data.n_records, data.n_people)
    assert again.describe() == data.describe()
    if kind == "activity":
        names = [data.state_names[c] for c in data.states[0]]
        assert [again.state_names[c] for c in again.states[list(again.persons).index(data.persons[0])]] == names


def test_notes_can_be_json_lines(tmp_path):
    corpus = sq.reader("text")(sq.write_sample("text", tmp_path / "notes.jsonl", n_people=3))
    assert corpus.n_people == 3


def test_a_warning_is_one_line_said_once(say, folder):
    (folder / "spans.csv").write_text(
        "person,start,end,state\n" + "".join(f"p{i},0,600,rest\np{i},300,900,walk\n" for i in range(4))
    )
    code, told = say("publish mcka spans.csv --start start --end end --state state --k 2 --out spans.bundle")
    note = (
        "note: read_activities: 4 of 8 spans, of 4 people, overlap an earlier span in another state (first "
        "at row 2); an interval takes the state that covers most of it."
    )
    assert code == 0 and told.count("note:") == told.count(note) == 1


def test_an_option_file_in_another_encoding_is_a_sentence(say, folder):
    sq.write_sample("events", folder / "log.csv", n_people=40)
    (folder / "rules.txt").write_bytes(b"caf\xe9 never before b\n")
    code, told = say(
        "publish markov-dp log.csv --person person --time time --state state --time-format iso --time-unit second "
        "--epsilon 4 --delta 1e-6 --people-at-least 300 --dates 2024-01-01..2025-12-31 "
        "--rules rules.txt --out log.bundle"
    )
    assert code == 2 and told.endswith("sequester: a file named by an option is not UTF-8 text; nothing was published.")


@pytest.mark.parametrize("out", [".", "./", "/", "a\0b"])
def test_a_bundle_needs_a_name(say, out):
    code, told = say(f"publish k-repeats notes --person folder --k 2 --out {out}")
    assert (code, told) == (2, "sequester: publish: --out must name the bundle to write, such as NAME.bundle.")


def test_a_place_that_cannot_be_written_is_said_before_the_work(say, folder):
    line = "publish k-repeats notes --person folder --k 2 --out"
    assert say(f"{line} minutes.csv/x.bundle") == (
        2,
        "sequester: publish: 'x.bundle' cannot be written: 'minutes.csv' is a file, not a folder.",
    )
    assert say(f"{line} /proc/nowhere/x.bundle")[0] == 2


@pytest.mark.parametrize("wrapped", [False, True])
def test_an_interrupt_is_not_a_broken_promise(say, monkeypatch, wrapped):
    def interrupted(*_args, **_options):
        try:
            raise KeyboardInterrupt
        except KeyboardInterrupt as error:
            if wrapped:
                raise SystemError("a kernel returned a result with an exception set") from error
            raise

    monkeypatch.setattr("sequester.flow.anonymize", interrupted)
    code, told = say("publish k-repeats notes --person folder --k 2 --out interrupted.bundle")
    assert code == 130 and told.endswith("sequester: stopped. What was not finished was not published.")


@pytest.mark.parametrize(
    "line",
    ["sample series --out minutes.csv/x.csv", "demo --out minutes.csv"],
)
def test_a_place_that_is_no_place_is_a_sentence(say, line):
    code, told = say(line)
    assert code == 2 and told.startswith("sequester: '") and "cannot be read or written (" in told


def test_a_bundle_that_cannot_be_locked_is_named_as_it_was_asked_for(say):
    name = "n" * 250  # the lock beside it is longer than a file system's names may be
    code, told = say(f"publish k-repeats notes --person folder --k 2 --out {name}")
    assert code == 2
    assert told == (
        f"sequester: publish: '{name}' cannot be written there (File name too long). Choose another folder or name."
    )


@pytest.mark.parametrize("verb", ["publish", "tune", "assess"])
def test_a_role_of_a_column_never_shares_its_option_with_something_else(verb, monkeypatch):
    from importlib import import_module

    import click

    from sequester.cli.options import reader_options

    group = import_module(f"sequester.cli.{verb}").command
    context = click.Context(group, info_name=verb)
    methods = isinstance(group, click.Group)
    for name in sq.METHODS if methods else KINDS:
        kind = sq.method_class(name).accepts.kind if methods else name
        command = group.get_command(context, name) if methods else group
        params = command.params if methods else command.get_params(click.Context(command, obj={"kind": name}))
        options = [o for p in params for o in p.opts if o.startswith("-")]
        roles = {o for r in reader_options(sq.reader(kind)) for o in r.opts}
        assert not {o for o in roles if options.count(o) > 1}, name


def test_a_file_of_no_kind_is_told_so_once(say, folder):
    (folder / "t.csv").write_text("person,a,b\np,x,y\nq,x,z\n")
    code, told = say("publish kapra t.csv --person nobody --k 2 --p 1 --out x.bundle")
    assert code == 2 and told.count("none of") < 2 and "It looks like none" not in told, told
