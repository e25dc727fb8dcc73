"""Text of word-processor files: docx, PDF (its text layer) and RTF, by libraries that are kept elsewhere."""

from __future__ import annotations

import logging
from pathlib import Path

from sequester.errors import InputError, counted

WORD_FILES = (".docx", ".pdf", ".rtf")


def text_of(path: Path, who: str) -> str:
    """The plain text of one file; pictures, comments, headers and footers are left out."""
    ending = path.suffix.lower()
    try:
        text = {".docx": _docx, ".pdf": _pdf, ".rtf": _rtf}[ending](path)
    except ImportError as error:
        raise InputError(
            f"{who}: reading {counted(ending, 'file')} needs the extra 'documents'. Install sequester[documents]."
        ) from error
    except Exception as error:  # each library has errors of its own, and none may end the program
        raise InputError(f"{who}: '{path.name}' cannot be read as {ending[1:]} ({type(error).__name__}).") from error
    if not text.strip():
        raise InputError(
            f"{who}: '{path.name}' holds no text. A scanned page is a picture: run text recognition first."
        )
    return text


def _docx(path: Path) -> str:
    from docx import Document
    from docx.table import Table

    out: list[str] = []
    for block in Document(str(path)).iter_inner_content():
        if isinstance(block, Table):
            out += ["\t".join(cell.text for cell in row.cells) for row in block.rows]
        else:
            out.append(block.text)
    return "\n".join(out) + "\n"


def _pdf(path: Path) -> str:
    from pypdf import PdfReader

    # What it finds odd it would log with the bytes around it: words of the document on the screen.
    logging.getLogger("pypdf").setLevel(logging.CRITICAL + 1)
    return "\n".join(page.extract_text() for page in PdfReader(path).pages) + "\n"


def _rtf(path: Path) -> str:
    from striprtf.striprtf import rtf_to_text

    return rtf_to_text(path.read_bytes().decode("latin-1"))
