mod machine;
mod matches;
mod state;
