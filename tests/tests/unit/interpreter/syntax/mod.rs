mod document;
mod rules;
mod script;
mod trees;
