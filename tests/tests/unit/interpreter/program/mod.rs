mod number_words;
mod package;
mod print;
mod sentence;
