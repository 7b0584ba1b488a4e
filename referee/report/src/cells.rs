//! Where the rows of a table lie beside each other.
//!
//! In: a package and its model, and a table. Out: its rows as squares, hexagons or points, if the ruleset says where they lie.
//! That is said by `board` of the table itself; by a grid whose rows name rows of this table, which is then its plan; or by
//! tables whose rows name what lies before and behind them. A layout says nothing of it.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use interpreter::package::{BoardShape, Package};
use interpreter::play::Id;
use interpreter::program::ids::TableId;
use interpreter::program::model::Model;
use interpreter::program::tree::Ty;

/// More cells than this are no picture but a list.
const MOST: usize = 2_000;

/// A cell: a row, and the squares that it covers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// Its table.
    pub table: TableId,
    /// Its row.
    pub row: Id,
    /// Its squares, from the left and from above; the first is where its name stands.
    pub squares: Vec<(usize, usize)>,
}

/// Cells that lie beside each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cells {
    /// The tables whose rows they are.
    pub tables: Vec<TableId>,
    /// Whether every row is half a cell further to the right than the one above.
    pub hex: bool,
    /// The cells.
    pub cells: Vec<Cell>,
    /// How many there are side by side.
    pub width: usize,
    /// How many there are above each other.
    pub height: usize,
}

impl Cells {
    /// The part on which something lies, and what lies beside it: a row of places for towns is longer than it ever becomes.
    #[must_use]
    pub fn cropped(&self, used: impl Fn(&Cell) -> bool) -> Cells {
        let columns = |cell: &Cell| cell.squares.iter().map(|(x, _)| *x).collect::<Vec<_>>();
        let in_use: Vec<usize> = self
            .cells
            .iter()
            .filter(|c| used(c))
            .flat_map(columns)
            .collect();
        let (Some(first), Some(last)) = (in_use.iter().min(), in_use.iter().max()) else {
            return self.clone();
        };
        let from = first.saturating_sub(1);
        let until = (last + 1).min(self.width.saturating_sub(1));
        let is_kept = |cell: &&Cell| cell.squares.iter().all(|(x, _)| (from..=until).contains(x));
        let cells = self.cells.iter().filter(is_kept).map(|cell| Cell {
            squares: cell.squares.iter().map(|(x, y)| (x - from, *y)).collect(),
            ..cell.clone()
        });
        Cells {
            tables: self.tables.clone(),
            hex: self.hex,
            cells: cells.collect(),
            width: until - from + 1,
            height: self.height,
        }
    }
}

/// Where the rows of a table lie, if anything says it.
pub fn cells(package: &Package, model: &Model, table: TableId) -> Option<Cells> {
    by_coordinates(package, model, table)
        .or_else(|| by_plan(package, model, table))
        .or_else(|| by_neighbours(model, table))
}

fn named(package: &Package, model: &Model, table: TableId) -> Option<BoardShape> {
    let name = &*model.tables[table].name;
    let table = package.tables.iter().find(|t| t.name.node == name)?;
    table.board.as_ref().map(|board| board.shape)
}

fn by_coordinates(package: &Package, model: &Model, table: TableId) -> Option<Cells> {
    let name = &*model.tables[table].name;
    let declared = package.tables.iter().find(|t| t.name.node == name)?;
    let board = declared.board.as_ref()?;
    let column = |name: &str| {
        let mut columns = model.columns.iter();
        let found = columns.find(|c| c.table == table && *c.name == *name);
        found.map(|column| &column.values)
    };
    let xs = column(&board.x.node)?;
    let ys = match &board.y {
        Some(y) => column(&y.node)?.clone(),
        None => vec![0; xs.len()],
    };
    let rows = &model.tables[table].rows;
    let squares = rows.iter().zip(xs.iter().zip(&ys));
    let placed = squares.map(|(row, (x, y))| (table, row.clone(), vec![(*x, *y)]));
    // Of a map and a track only the order counts: its unit is the author's own.
    let ranked = matches!(board.shape, BoardShape::Map | BoardShape::Track);
    of(
        vec![table],
        board.shape == BoardShape::Hex,
        placed.collect(),
        ranked,
    )
}

/// The plan of a table: a board whose rows name rows of it by one column, and no rows of others.
fn by_plan(package: &Package, model: &Model, table: TableId) -> Option<Cells> {
    for (grid, _) in model.tables.iter_enumerated() {
        let shape = named(package, model, grid);
        if grid == table || !matches!(shape, Some(BoardShape::Grid | BoardShape::Hex)) {
            continue;
        }
        let of_rows = model.columns.iter();
        let mut of_rows = of_rows.filter(|c| c.table == grid && matches!(c.ty, Ty::Row(_)));
        let (Some(column), None) = (of_rows.next(), of_rows.next()) else {
            continue;
        };
        if column.ty != Ty::Row(table) {
            continue;
        }
        let squares = by_coordinates(package, model, grid)?;
        let mut covered: BTreeMap<usize, Vec<(i64, i64)>> = BTreeMap::new();
        for (cell, row) in squares.cells.iter().zip(&column.values) {
            if let (Ok(row), Some((x, y))) = (usize::try_from(*row), cell.squares.first()) {
                let at = (i64::try_from(*x).ok()?, i64::try_from(*y).ok()?);
                covered.entry(row).or_default().push(at);
            }
        }
        let rows = &model.tables[table].rows;
        let placed = covered
            .into_iter()
            .filter_map(|(row, at)| Some((table, rows.get(row)?.clone(), at)));
        return of(vec![table], squares.hex, placed.collect(), false);
    }
    None
}

/// A row of a table, by its number.
type Row = (TableId, usize);

/// A row, and the squares that it covers, wherever they begin.
type Placed = (TableId, Id, Vec<(i64, i64)>);

/// How far to the right a row lies from another, and how far below it.
struct Link {
    from: Row,
    to: Row,
    dx: i64,
    dy: i64,
}

/// The table of the rows that a column names.
fn names(ty: &Ty) -> Option<TableId> {
    match ty {
        Ty::Row(table) => Some(*table),
        Ty::Option(inner) => names(inner),
        _ => None,
    }
}

/// Tables whose rows name each other, one of them by two columns: what lies before, and what lies behind. Rows that name
/// one row by a single column lie above and below it, in their order.
fn by_neighbours(model: &Model, table: TableId) -> Option<Cells> {
    // Tables that have no place of their own: pieces lie in places, cells do not.
    let pieces: BTreeSet<TableId> = model.places.iter().map(|place| place.table).collect();
    let mut links = Vec::new();
    let mut joined: BTreeMap<TableId, BTreeSet<TableId>> = BTreeMap::new();
    let mut is_paired = false;
    for (from, _) in model.tables.iter_enumerated() {
        if pieces.contains(&from) {
            continue;
        }
        let columns = model.columns.iter().filter(|c| c.table == from);
        let columns: Vec<_> = columns
            .filter_map(|c| Some((names(&c.ty)?, c)))
            .filter(|(to, _)| !pieces.contains(to) && *to != from)
            .collect();
        let targets: BTreeSet<TableId> = columns.iter().map(|(to, _)| *to).collect();
        for to in targets {
            let naming: Vec<_> = columns.iter().filter(|(of, _)| *of == to).collect();
            if naming.len() > 2 {
                continue;
            }
            is_paired |= naming.len() == 2;
            joined.entry(from).or_default().insert(to);
            joined.entry(to).or_default().insert(from);
            let mut before: BTreeMap<usize, i64> = BTreeMap::new();
            for row in 0..model.tables[from].rows.len() {
                for (at, (_, column)) in naming.iter().enumerate() {
                    let value = column.values.get(row).copied().unwrap_or(-1);
                    let Ok(other) = usize::try_from(value) else {
                        continue;
                    };
                    if other >= model.tables[to].rows.len() {
                        continue;
                    }
                    let (dx, dy) = match naming.len() {
                        2 => (if at == 0 { -1 } else { 1 }, 0),
                        _ => {
                            let n = before.entry(other).or_default();
                            let dy = (*n / 2 + 1) * if *n % 2 == 0 { 1 } else { -1 };
                            *n += 1;
                            (0, dy)
                        }
                    };
                    links.push(Link {
                        from: (from, row),
                        to: (to, other),
                        dx,
                        dy,
                    });
                }
            }
        }
    }
    if !is_paired {
        return None;
    }
    let mut tables = vec![table];
    let mut at = 0;
    while let Some(next) = tables.get(at).copied() {
        for other in joined.get(&next).into_iter().flatten() {
            if !tables.contains(other) {
                tables.push(*other);
            }
        }
        at += 1;
    }
    let count: usize = tables.iter().map(|t| model.tables[*t].rows.len()).sum();
    if tables.len() < 2 || count > MOST {
        return None;
    }
    let placed = laid_out(&links, (table, 0), count)?;
    let placed = placed.into_iter().map(|((table, row), square)| {
        let row = model.tables[table].rows[row].clone();
        (table, row, vec![square])
    });
    of(tables, false, placed.collect(), false)
}

/// Where every row lies, if all links agree and no two rows lie at the same place.
fn laid_out(links: &[Link], start: Row, count: usize) -> Option<BTreeMap<Row, (i64, i64)>> {
    let mut near: BTreeMap<Row, Vec<(Row, i64, i64)>> = BTreeMap::new();
    for link in links {
        let there = near.entry(link.from).or_default();
        there.push((link.to, link.dx, link.dy));
        let back = near.entry(link.to).or_default();
        back.push((link.from, -link.dx, -link.dy));
    }
    let mut at = BTreeMap::from([(start, (0, 0))]);
    let mut open = VecDeque::from([start]);
    while let Some(row) = open.pop_front() {
        let (x, y) = at[&row];
        for (other, dx, dy) in near.get(&row).into_iter().flatten() {
            let here = (x + dx, y + dy);
            match at.get(other) {
                Some(known) if *known != here => return None,
                Some(_) => {}
                None => {
                    at.insert(*other, here);
                    open.push_back(*other);
                }
            }
        }
    }
    let taken: BTreeSet<_> = at.values().collect();
    (at.len() == count && taken.len() == count).then_some(at)
}

/// Cells, moved so that they begin at 0; none if they are too many, or too far apart.
fn of(tables: Vec<TableId>, hex: bool, placed: Vec<Placed>, ranked: bool) -> Option<Cells> {
    let all = || placed.iter().flat_map(|(_, _, squares)| squares);
    if placed.is_empty() || all().count() > MOST {
        return None;
    }
    let line = |values: BTreeSet<i64>| -> BTreeMap<i64, usize> {
        let first = values.first().copied().unwrap_or_default();
        let at = |(rank, value): (usize, i64)| match ranked {
            true => (value, rank),
            false => (
                value,
                usize::try_from(value.saturating_sub(first)).unwrap_or(usize::MAX),
            ),
        };
        values.into_iter().enumerate().map(at).collect()
    };
    let xs = line(all().map(|(x, _)| *x).collect());
    let ys = line(all().map(|(_, y)| *y).collect());
    let width = xs.values().max()?.checked_add(1)?;
    let height = ys.values().max()?.checked_add(1)?;
    if width.checked_mul(height)? > 4 * MOST {
        return None;
    }
    let cells = placed.iter().map(|(table, row, squares)| {
        let mut squares: Vec<(usize, usize)> =
            squares.iter().map(|(x, y)| (xs[x], ys[y])).collect();
        squares.sort_by_key(|(x, y)| (*y, *x));
        Cell {
            table: *table,
            row: row.clone(),
            squares,
        }
    });
    Some(Cells {
        tables,
        hex,
        cells: cells.collect(),
        width,
        height,
    })
}
