mod differ;
mod suite;
