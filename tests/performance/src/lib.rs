//! What playing and refereeing cost, measured in `benches` and `examples`: a crate of its own, so that what is
//! measured is built as it is for whoever plays, without the counters of the tests.
