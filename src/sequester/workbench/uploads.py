"""Files that are dropped on the page: streamed into a folder of their own that only its owner may open.

Nothing is kept in memory, nothing goes through a shared temporary folder, and more than the limit is refused as soon as
it is seen.
"""

from __future__ import annotations

import io
import os
import shutil
from pathlib import Path
from typing import IO

from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header
from starlette.requests import Request

import sequester as sq
from sequester.workbench.places import file_name

MOST_FILES = 5_000
MOST_FIELD_BYTES = 10_000


class _Parts:
    """The parts of a form: files to the folder, short fields to memory."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.files: list[Path] = []
        self.fields: dict[str, str] = {}
        self._headers: dict[bytes, bytes] = {}
        self._header = self._value = b""
        self._name = ""
        self._file: IO[bytes] | None = None
        self._text = bytearray()

    def on_part_begin(self) -> None:
        self._headers, self._text = {}, bytearray()

    def on_header_field(self, data: bytes, start: int, end: int) -> None:
        self._header += data[start:end]

    def on_header_value(self, data: bytes, start: int, end: int) -> None:
        self._value += data[start:end]

    def on_header_end(self) -> None:
        self._headers[self._header.lower()] = self._value
        self._header = self._value = b""

    def on_headers_finished(self) -> None:
        _, options = parse_options_header(self._headers.get(b"content-disposition", b""))
        self._name = options.get(b"name", b"").decode("utf-8", "replace")
        found = options.get(b"filename")
        if found is None:
            self._file = None
            return
        if not found:  # an empty file field of a form
            self._file = io.BytesIO()
            return
        if len(self.files) >= MOST_FILES:
            raise sq.InputError(f"At most {MOST_FILES:,} files can be dropped at once. Pack them, or copy the folder.")
        wanted = file_name(found.decode("utf-8", "replace"))
        path = self.folder / wanted
        number = 1
        while path.exists():  # two files of one name in different folders
            number += 1
            path = self.folder / f"{number}-{wanted}"
        self._file = os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb")
        self.files.append(path)

    def on_part_data(self, data: bytes, start: int, end: int) -> None:
        if self._file is not None:
            self._file.write(data[start:end])
        elif len(self._text) + end - start > MOST_FIELD_BYTES:
            raise sq.InputError("A field of the form is too long.")
        else:
            self._text += data[start:end]

    def on_part_end(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None
        else:
            self.fields[self._name] = self._text.decode("utf-8", "replace")

    def close(self) -> None:
        if self._file is not None:
            self._file.close()


async def receive(request: Request, folder: Path, limit: int) -> tuple[list[Path], dict[str, str]]:
    """Stream the files of a form into `folder`; on any trouble the folder is gone again."""
    parts = _Parts(folder)
    try:
        kind, options = parse_options_header(request.headers.get("content-type", "").encode())
        if kind != b"multipart/form-data" or not options.get(b"boundary"):
            raise sq.InputError("No file arrived. Choose a file first.")
        names = ("on_part_begin", "on_header_field", "on_header_value", "on_header_end", "on_headers_finished",
                 "on_part_data", "on_part_end")  # fmt: skip
        parser = MultipartParser(options[b"boundary"], {name: getattr(parts, name) for name in names})  # type: ignore[arg-type]
        too_much = sq.InputError(
            f"The upload is larger than {limit // 1_000_000:,} MB. Copy the file into the folder of the workbench and "
            "open it there."
        )
        if int(request.headers.get("content-length") or 0) > limit:
            raise too_much
        seen = 0
        async for chunk in request.stream():
            seen += len(chunk)
            if seen > limit:
                raise too_much
            parser.write(chunk)
        parser.finalize()
        if not parts.files:
            raise sq.InputError("No file arrived. Choose a file first.")
    except (FormParserError, ValueError) as error:
        shutil.rmtree(folder, ignore_errors=True)
        raise sq.InputError("The upload arrived damaged. Try again.") from error
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    finally:
        parts.close()
    return parts.files, parts.fields
