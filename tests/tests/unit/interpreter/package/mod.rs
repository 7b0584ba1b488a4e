mod acceptances;
mod load;
