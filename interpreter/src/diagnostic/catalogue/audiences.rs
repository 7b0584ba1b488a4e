//! 06xx: audiences.

macro_rules! audiences {
    ($next:ident $($further:ident)*; $($rows:tt)*) => { $next! { $($further)*; $($rows)*

        SecretInFlow = 601, "the flow would tell a secret",
            "Who is asked, which steps happen and when the match ends can be seen by everybody. If it is decided \
             by something that not everybody sees, everybody learns it.",
            wrong: "\
ending found when hand(leader, apple) > 0
",
            right: "\
ending found when stock(leader, apple) > 0
";

        SecretInMove = 602, "a move would tell a secret",
            "Which moves are legal can be seen by the mover. A condition that reads what the mover does not see \
             would tell it.",
            wrong: "\
in game.turns
  move rest
    needs hand(next(leader), apple) > 0
",
            right: "\
in game.turns
  move rest
    needs stock(next(leader), apple) > 0
";

        SecretInEvent = 603, "an event would tell a secret",
            "An event is told to everybody with all that it carries. What it carries must therefore not be read \
             from what only some see, be it directly, by a variable or in an effect that is called. Move what \
             becomes known to an open place first and read it there.",
            wrong: "\
effect show(p: player): do { raise(sold(p, hand(p, apple))); }
",
            right: "\
effect show(p: player): do { raise(sold(p, stock(p, apple))); }
";
    } };
}
