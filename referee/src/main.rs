//! The `referee` command. Everything it does is in the library's [`cli`](referee::cli).

fn main() -> std::process::ExitCode {
    referee::cli::run()
}
