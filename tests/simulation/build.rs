//! Libraries look functions of the operating system up by name while the program runs: they have to find those of
//! `src/system.rs`.

fn main() {
    for name in ["getrandom", "clock_gettime"] {
        println!("cargo::rustc-link-arg-bins=-Wl,--export-dynamic-symbol={name}");
    }
    println!("cargo::rerun-if-changed=build.rs");
}
