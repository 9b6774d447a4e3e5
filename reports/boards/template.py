"""What the page needs of a game's board: the plate with pieces and marks to copy, and JSON.

Must not know any game, nor records, nor how the page stores replays.

`js/board.js` copies the plate out of a `<template>`, takes the group of class `sprites` out of it,
and puts copies of what that holds in their places: what things look like is said in Python alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import Any

from lath.games.core import Game
from lath.reports.boards import board, drawing


def template(game: Game) -> str:
    """Return the plate without cells as an SVG for `lath.makeBoard`, to stand in a `<template>`."""
    sprites = "".join(_sprites(game))
    return (
        f'<svg class="board" viewBox="{board.view_box(game.board)}" role="img" '
        f"{drawing.INHERITED}><title></title><desc></desc>{board.plate(game.board)}"
        f'<g class="sprites">{sprites}</g></svg>'
    )


def _sprites(game: Game) -> Iterator[str]:
    """Yield pieces as `piece-` and their code, rings as `ring-`, and marks by their names.

    With a code too, `size-` is the size of a group, `links-` what joins it: the script writes the
    number and the paths, and the colour of dots.
    """
    shape = game.board.shape
    has_tiles = any(piece.shape == "tile" for piece in game.pieces)
    overlays = board.overlays_json(game)["shown"]
    counted = "".join(fields.get("codes", "") for fields in overlays)
    for piece in game.pieces:
        yield _sprite("piece", piece.code, drawing.draw(piece, shape))
        if piece.shape == "disc" and has_tiles:
            yield _sprite("ring", piece.code, drawing.draw(piece, shape, on_tile=True))
        if piece.code in counted:
            yield _sprite("links", piece.code, drawing.links("", piece.colour))
            yield _sprite("size", piece.code, drawing.size("", piece.colour))
    yield _sprite("cell", "", board.cell(drawing.outline(shape)))
    if board.has_names_inside(game.board):
        yield _sprite("name", "", board.name(""))
    yield _sprite("strange", "", drawing.strange("?"))
    yield _sprite("halo", "", drawing.halo(board.CELL))
    yield _sprite("dot", "", drawing.dot("", ""))
    yield _sprite("moved", "", drawing.moved(shape))
    yield _sprite("deciding", "", drawing.deciding(""))
    yield _sprite("veil", "", drawing.veil("", board.PLATE))
    if any(fields["kind"] == "sight" for fields in overlays):
        yield _sprite("seen", "", drawing.seen(""))
        yield _sprite("sight", "", drawing.sight("", ""))


def _sprite(kind: str, code: str, drawn: str) -> str:
    name = f"{kind}-{code}" if code else kind
    return f'<g data-sprite="{escape(name)}">{drawn}</g>'


def to_json(game: Game) -> dict[str, Any]:
    """Return what `lath.makeBoard` must know of a game.

    `title`, `shape`, `cells` (names), `centres` (x and y of the first cell, of the second …, a cell
    being 100 wide), `pieces` (code, name, shape, colour), `seats` (word and colour of both),
    `overlays` (see `lath.reports.boards.board.overlays_json`).
    """
    centres = (round(at, 1) for centre in game.board.centres for at in board.placed(centre))
    return {
        "title": game.title,
        "shape": game.board.shape,
        "cells": list(game.board.names),
        "centres": list(centres),
        "pieces": [[piece.code, piece.name, piece.shape, piece.colour] for piece in game.pieces],
        "seats": [[word, seat_colour(word, game)] for word in game.colours],
        "overlays": board.overlays_json(game),
    }


def seat_colour(word: str, game: Game) -> str:
    """Return the colour of the piece whose name begins with the word; grey if there is none."""
    named = (piece.colour for piece in game.pieces if piece.name.split(" ")[0] == word)
    return next(named, "#808080")
