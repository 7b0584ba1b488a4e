//! Scenarios of small invented rulesets.
