//! Cells as a picture of letters: squares with borders, hexagons in rows that are moved by half a cell.
//!
//! In: cells with a name each, and what lies there. Out: lines of text, or nothing if the terminal is too narrow for a picture.

use super::cells::Cells;

/// Signs of a cell, at least and at most.
const NARROWEST: usize = 4;
const WIDEST: usize = 14;
/// Lines of a cell: its name, and what lies there.
const LINES: usize = 2;

/// Draws cells. `says` gives the name of a cell by its number, and what lies there.
pub fn drawn(
    cells: &Cells,
    width: usize,
    says: &mut dyn FnMut(usize) -> (String, String),
) -> Option<Vec<String>> {
    // A row of hexagons is moved by half a cell for every row above it.
    let across = match cells.hex {
        true => cells.width + cells.height.div_ceil(2),
        false => cells.width,
    };
    let room = width.saturating_sub(1) / across.max(1);
    let inner = room.saturating_sub(1).min(WIDEST);
    if inner < NARROWEST {
        return None;
    }
    let texts: Vec<(String, String)> = (0..cells.cells.len()).map(&mut *says).collect();
    let longest = texts
        .iter()
        .flat_map(|(name, lies)| [name, lies])
        .map(|text| text.chars().count())
        .max();
    let inner = inner.min(longest.unwrap_or(0).max(NARROWEST));
    let lines = match cells.hex {
        true => hexagons(cells, inner, &texts),
        false => squares(cells, inner, &texts),
    };
    Some(lines.into_iter().map(|l| l.trim_end().to_owned()).collect())
}

/// As much of a text as there is room for.
fn cut(text: &str, room: usize) -> String {
    let count = text.chars().count();
    match count <= room {
        true => format!("{text}{}", " ".repeat(room - count)),
        false => {
            let kept: String = text.chars().take(room.saturating_sub(1)).collect();
            format!("{kept}…")
        }
    }
}

fn hexagons(cells: &Cells, inner: usize, texts: &[(String, String)]) -> Vec<String> {
    let mut lines = Vec::new();
    for y in 0..cells.height {
        let mut row: Vec<(usize, usize)> = cells
            .cells
            .iter()
            .enumerate()
            .filter_map(|(at, cell)| Some((cell.squares.first().filter(|(_, v)| *v == y)?.0, at)))
            .collect();
        row.sort_unstable();
        let mut both = [String::new(), String::new()];
        for (x, at) in row {
            let column = 2 * x + y;
            let left = column * (inner + 1) / 2;
            let (name, lies) = &texts[at];
            for (line, text) in both.iter_mut().zip([name, lies]) {
                let here = line.chars().count();
                line.push_str(&" ".repeat(left.saturating_sub(here)));
                line.push_str(&cut(text, inner));
            }
        }
        lines.extend(both);
        lines.push(String::new());
    }
    lines
}

fn squares(cells: &Cells, inner: usize, texts: &[(String, String)]) -> Vec<String> {
    let mut owner: Vec<Vec<Option<usize>>> = vec![vec![None; cells.width]; cells.height];
    for (at, cell) in cells.cells.iter().enumerate() {
        for (x, y) in &cell.squares {
            owner[*y][*x] = Some(at);
        }
    }
    let at = |x: usize, y: usize| -> Option<usize> {
        let row = y.checked_sub(1).and_then(|y| owner.get(y))?;
        *x.checked_sub(1).and_then(|x| row.get(x))?
    };
    // Between the squares, counted from one, stand lines wherever two fields meet.
    let upright = |x: usize, y: usize| at(x, y) != at(x + 1, y);
    let level = |x: usize, y: usize| at(x, y) != at(x, y + 1);
    let corner = |x: usize, y: usize| {
        let (up, down) = (upright(x, y), upright(x, y + 1));
        let (left, right) = (level(x, y), level(x + 1, y));
        match (up, down, left, right) {
            (false, false, false, false) => ' ',
            (true, true, false, false)
            | (true, false, false, false)
            | (false, true, false, false) => '│',
            (false, false, true, true)
            | (false, false, true, false)
            | (false, false, false, true) => '─',
            (false, true, false, true) => '┌',
            (false, true, true, false) => '┐',
            (true, false, false, true) => '└',
            (true, false, true, false) => '┘',
            (true, true, false, true) => '├',
            (true, true, true, false) => '┤',
            (false, true, true, true) => '┬',
            (true, false, true, true) => '┴',
            (true, true, true, true) => '┼',
        }
    };
    let mut lines = Vec::new();
    for y in 0..=cells.height {
        let mut line = String::new();
        for x in 0..=cells.width {
            line.push(corner(x, y));
            if x < cells.width {
                let sign = if level(x + 1, y) { "─" } else { " " };
                line.push_str(&sign.repeat(inner));
            }
        }
        lines.push(line);
        if y == cells.height {
            break;
        }
        for part in 0..LINES {
            let mut line = String::new();
            let mut x = 0;
            while x < cells.width {
                line.push(if upright(x, y + 1) { '│' } else { ' ' });
                let here = at(x + 1, y + 1);
                // A text goes on into the next square of the same field.
                let mut run = 1;
                while x + run < cells.width && here.is_some() && at(x + run + 1, y + 1) == here {
                    run += 1;
                }
                let is_first = |at: &usize| cells.cells[*at].squares.first() == Some(&(x, y));
                let text = here.filter(is_first).map(|at| {
                    let (name, lies) = &texts[at];
                    if part == 0 { name } else { lies }
                });
                let room = run * (inner + 1) - 1;
                line.push_str(&cut(text.map_or("", String::as_str), room));
                x += run;
            }
            line.push(if upright(cells.width, y + 1) {
                '│'
            } else {
                ' '
            });
            lines.push(line);
        }
    }
    lines
}
