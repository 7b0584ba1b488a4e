//! The score sheet.

use comfy_table::presets::UTF8_HORIZONTAL_ONLY;
use comfy_table::{CellAlignment, Table};

use super::super::style::{GOOD, paint};
use super::words::Words;
use referee_contract::v1;
use referee_store::numbers::to_usize;

/// One column for each player, one line for each line of the sheet.
pub fn sheet(outcome: &v1::Outcome, words: &Words, players: &[String]) -> String {
    let mut table = Table::new();
    table.load_style(UTF8_HORIZONTAL_ONLY);
    let mut header = vec![String::new()];
    header.extend(players.iter().cloned());
    table.set_header(header);
    let mut lines: Vec<&str> = Vec::new();
    for sheet in &outcome.scores {
        for line in &sheet.lines {
            if !lines.contains(&line.name.as_str()) {
                lines.push(&line.name);
            }
        }
    }
    for name in lines {
        let mut row = vec![words.of("score", name)];
        for sheet in &outcome.scores {
            let points = sheet
                .lines
                .iter()
                .find(|line| line.name == name)
                .map(|line| line.points);
            row.push(
                points
                    .filter(|points| *points != 0)
                    .map_or_else(String::new, |points| points.to_string()),
            );
        }
        table.add_row(row);
    }
    let mut totals = vec!["total".to_owned()];
    totals.extend(outcome.scores.iter().map(|sheet| sheet.total.to_string()));
    table.add_row(totals);
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
        .lines()
        .map(|line| format!("  {line}"))
        .collect::<Vec<_>>()
        .join("\n")
}

/// Who wins, and why the game ended.
pub fn verdict(outcome: &v1::Outcome, words: &Words, players: &[String]) -> String {
    let name = |seat: u32| {
        players
            .get(to_usize(seat.saturating_sub(1)))
            .map_or("?", String::as_str)
    };
    let winners: Vec<&str> = outcome.winners.iter().copied().map(name).collect();
    let wins = if winners.len() == 1 {
        "wins"
    } else {
        "share the win"
    };
    let best = outcome.scores.iter().map(|sheet| sheet.total).max();
    let tied = outcome
        .scores
        .iter()
        .filter(|sheet| Some(sheet.total) == best)
        .count()
        > outcome.winners.len();
    let by = if tied { ", by the tie-break" } else { "" };
    format!(
        "  {}{by}. The game ended because {}.",
        paint(GOOD, format!("{} {wins}", winners.join(" and "))),
        words.of("ending", &outcome.ending)
    )
}
