mod document;
mod rules;
mod script;
