//! Tests of the module `report::grid`.

use interpreter::program::ids::{Idx as _, TableId};
use referee::report::cells::{Cell, Cells};
use referee::report::grid::drawn;

fn board(hex: bool, squares: &[&[(usize, usize)]], width: usize, height: usize) -> Cells {
    let cells = squares.iter().map(|squares| Cell {
        table: TableId::new(0),
        row: "x".into(),
        squares: squares.to_vec(),
    });
    Cells {
        tables: vec![TableId::new(0)],
        hex,
        cells: cells.collect(),
        width,
        height,
    }
}

fn shown(cells: &Cells, width: usize) -> Option<String> {
    let mut says = |at: usize| (format!("f{at}"), format!("{}", at * 1000));
    drawn(cells, width, &mut says).map(|lines| lines.join("\n"))
}

#[test]
fn squares_of_one_field_have_no_line_between_them() {
    let cells = board(false, &[&[(0, 0), (1, 0)], &[(0, 1)], &[(2, 1)]], 3, 2);
    let right = "
┌─────────┐
│f0       │
│0        │
├────┬────┼────┐
│f1  │    │f2  │
│1000│    │2000│
└────┘    └────┘";
    let shown = shown(&cells, 60).expect("there is room");
    assert_eq!(format!("\n{shown}"), right);
}

#[test]
fn rows_of_hexagons_are_moved_by_half_a_cell() {
    let cells = board(true, &[&[(0, 0)], &[(1, 0)], &[(0, 1)]], 2, 2);
    let shown = shown(&cells, 60).expect("there is room");
    assert_eq!(shown, "f0   f1\n0    1000\n\n  f2\n  2000\n");
}

#[test]
fn a_terminal_that_is_too_narrow_has_no_picture() {
    let cells = board(false, &[&[(0, 0)], &[(30, 0)]], 31, 1);
    assert_eq!(shown(&cells, 80), None);
}
