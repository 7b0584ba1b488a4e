mod chance;
mod memory;
mod registers;
