#![no_main]

referee_libfuzzer::program!(referee_fuzz::targets::records::TARGET);
