mod determinization;
mod history;
mod history_encoding;
