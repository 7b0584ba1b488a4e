//! Colours of the terminal. They are printed through `anstream`, which leaves them out when nobody
//! sees them or `NO_COLOR` is set.

use anstyle::{AnsiColor, Style};

/// Something went wrong.
pub const BAD: Style = AnsiColor::Red.on_default().bold();
/// Something to do, or to be glad of.
pub const GOOD: Style = AnsiColor::Green.on_default().bold();
/// A heading.
pub const HEAD: Style = AnsiColor::Cyan.on_default().bold();
/// What matters in a line.
pub const STRONG: Style = Style::new().bold();
/// What matters least.
pub const FAINT: Style = Style::new().dimmed();

/// Players, by seat.
pub const PLAYERS: [Style; 5] = [
    AnsiColor::Cyan.on_default(),
    AnsiColor::Yellow.on_default(),
    AnsiColor::Magenta.on_default(),
    AnsiColor::Blue.on_default(),
    AnsiColor::Green.on_default(),
];

/// A text in a style.
pub fn paint(style: Style, text: impl std::fmt::Display) -> String {
    format!("{}{text}{}", style.render(), style.render_reset())
}
