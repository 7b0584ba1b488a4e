//! JSON Schemas of archives and records.

use jsonschema::Validator;
use serde_json::Value;

use crate::golden::Trouble;
use crate::root;

/// The schema of a form, such as `referee.record/2`.
///
/// # Errors
///
/// When there is none, or it is no schema.
pub fn schema(form: &str) -> Result<Validator, Trouble> {
    let name = format!("proto/archive/{}.schema.json", form.replace('/', "-"));
    let text =
        std::fs::read_to_string(root().join(&name)).map_err(|why| format!("{name}: {why}"))?;
    let schema: Value = serde_json::from_str(&text)?;
    jsonschema::meta::validate(&schema).map_err(|why| format!("{name}: {why}"))?;
    Ok(jsonschema::validator_for(&schema).map_err(|why| format!("{name}: {why}"))?)
}
