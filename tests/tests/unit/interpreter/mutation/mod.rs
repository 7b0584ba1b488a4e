mod planting;
mod rules;
mod tables;
