//! Days of the calendar, in UTC.

/// Milliseconds of a day.
pub const DAY: i64 = 86_400_000;

/// The date of a moment of Unix time in milliseconds: `2026-11-27`.
pub fn date(now_ms: i64) -> String {
    // Howard Hinnant's `civil_from_days`: years that begin in March, eras of 400 years.
    let days = now_ms.div_euclid(DAY) + 719_468;
    let (era, day) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let of_year = day - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let of_month = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year + era * 400 + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{of_month:02}")
}

/// A moment to the second, as files of allowed signers write it: `20261127120000`.
pub fn moment(now_ms: i64) -> String {
    let seconds = now_ms.rem_euclid(DAY) / 1_000;
    let day = date(now_ms).replace('-', "");
    let (hour, minute) = (seconds / 3_600, seconds / 60 % 60);
    format!("{day}{hour:02}{minute:02}{:02}", seconds % 60)
}
