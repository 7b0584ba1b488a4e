mod package;
mod print;
mod sentence;
