"""Replacing what is not kept, on Python's strings."""


def mask(documents, keep, order, mark, per_character):
    """Documents in the new order, and the replaced spans in characters of the written and of the original text."""
    texts, spans, hidden = [], [], []
    for j, d in enumerate(order):
        out, inside = "", False
        for i, (character, kept) in enumerate(zip(documents[d], keep[d], strict=True)):
            if kept:
                out += character
            else:
                if not inside:
                    spans.append([j, len(out), None])
                    hidden.append([j, i, None])
                if per_character or not inside:
                    out += mark
                spans[-1][2], hidden[-1][2] = len(out), i + 1
            inside = not kept
        texts.append(out)
    return texts, spans, hidden
