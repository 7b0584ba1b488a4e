mod catalogue;
mod consequences;
mod render;
mod report;
mod similar;
