//! JSON Schemas of a ruleset's moves and views: what its messages look like, as JSON.
//!
//! The contract says what any move looks like; a schema says what the moves of one ruleset are: which
//! there are, which arguments each has, which rows those can name. A client's author has them completed
//! and checked by an editor, and a program can check a message before it is sent.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::v1;

/// The dialect of the schemas.
const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

fn object(properties: Value, required: &[&str]) -> Value {
    json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

/// The definitions that both schemas use: values, and one for each table's rows.
fn definitions(ruleset: &v1::Ruleset) -> Map<String, Value> {
    let whole = |least: i64| json!({"type": "integer", "minimum": least});
    let players = ruleset.configuration.as_ref().map_or(0, |c| c.players);
    let mut defs = Map::new();
    let mut rows = Vec::new();
    let mut bags = Vec::new();
    for table in &ruleset.tables {
        let ids: Vec<&str> = table.rows.iter().map(|row| row.id.as_str()).collect();
        let id = &table.id;
        defs.insert(
            format!("id.{id}"),
            json!({"enum": ids, "title": title(&table.names)}),
        );
        let row = json!({"$ref": format!("#/$defs/id.{id}")});
        defs.insert(
            format!("row.{id}"),
            object(
                json!({"table": {"const": id}, "row": row}),
                &["table", "row"],
            ),
        );
        rows.push(json!({"$ref": format!("#/$defs/row.{id}")}));
        let count = object(json!({"row": row, "count": whole(1)}), &["row", "count"]);
        let counts = json!({"type": "array", "items": count});
        defs.insert(
            format!("bag.{id}"),
            object(
                json!({"table": {"const": id}, "counts": counts}),
                &["table"],
            ),
        );
        bags.push(json!({"$ref": format!("#/$defs/bag.{id}")}));
    }
    defs.insert("row".into(), json!({"anyOf": rows}));
    defs.insert("bag".into(), json!({"anyOf": bags}));
    defs.insert(
        "seat".into(),
        json!({"type": "integer", "minimum": 1, "maximum": players}),
    );
    // The JSON form writes numbers of 64 bits as strings, and reads both.
    defs.insert(
        "integer".into(),
        json!({"type": ["string", "integer"], "pattern": "^-?[0-9]+$"}),
    );
    let places: Vec<&str> = ruleset
        .places
        .iter()
        .map(|place| place.id.as_str())
        .collect();
    defs.insert("place".into(), reference(&places));
    let share = object(
        json!({
            "place": {"$ref": "#/$defs/place"},
            "row": {"$ref": "#/$defs/row"},
            "count": whole(1),
        }),
        &["place", "row", "count"],
    );
    let shares = json!({"type": "array", "items": share});
    defs.insert("spread".into(), object(json!({"shares": shares}), &[]));
    let hidden = object(json!({"count": whole(0)}), &[]);
    let part = object(
        json!({"name": {"type": "string"}, "value": {"$ref": "#/$defs/value"}}),
        &["name", "value"],
    );
    let parts = json!({"type": "array", "items": part});
    let record = json!({"name": {"type": "string"}, "parts": parts});
    let kinds = [
        ("integer", json!({"$ref": "#/$defs/integer"})),
        ("boolean", json!({"type": "boolean"})),
        ("row", json!({"$ref": "#/$defs/row"})),
        ("seat", json!({"$ref": "#/$defs/seat"})),
        ("none", object(json!({}), &[])),
        ("bag", json!({"$ref": "#/$defs/bag"})),
        ("spread", json!({"$ref": "#/$defs/spread"})),
        ("hidden", hidden),
        ("record", object(record, &["name"])),
    ];
    let kinds = kinds.map(|(kind, of)| object(json!({kind: of}), &[kind]));
    defs.insert("value".into(), json!({"oneOf": kinds}));
    defs
}

/// A reference to one of some named places, counters or markers.
fn reference(names: &[&str]) -> Value {
    let index = json!({"type": "array", "items": {"$ref": "#/$defs/value"}});
    object(json!({"name": {"enum": names}, "index": index}), &["name"])
}

fn title(names: &Option<v1::Text>) -> &str {
    names.as_ref().map_or("", |names| names.within("en"))
}

/// What a value of a parameter's type looks like.
fn of_type(ty: Option<&v1::Type>) -> Value {
    let one = |kind: &str, of: Value| object(json!({kind: of}), &[kind]);
    let any = || json!({"$ref": "#/$defs/value"});
    let Some(ty) = ty else { return any() };
    let defined = |name: &str| json!({"$ref": format!("#/$defs/{name}")});
    let plain = match ty.kind() {
        v1::TypeKind::Integer => one("integer", defined("integer")),
        v1::TypeKind::Boolean => one("boolean", json!({"type": "boolean"})),
        v1::TypeKind::Seat => one("seat", defined("seat")),
        v1::TypeKind::Row => one("row", defined(&format!("row.{}", ty.of))),
        v1::TypeKind::Bag => one("bag", defined(&format!("bag.{}", ty.of))),
        v1::TypeKind::Spread => one("spread", defined("spread")),
        v1::TypeKind::Record | v1::TypeKind::Unspecified => return any(),
    };
    match ty.optional {
        false => plain,
        true => json!({"oneOf": [plain, one("none", object(json!({}), &[]))]}),
    }
}

/// What a `Move` of this ruleset looks like.
pub fn moves(ruleset: &v1::Ruleset) -> Value {
    // A move of the same name may stand at several steps, each time with parameters of its own.
    let mut named: BTreeMap<&str, Vec<&v1::MoveType>> = BTreeMap::new();
    for kind in &ruleset.moves {
        named.entry(&kind.name).or_default().push(kind);
    }
    let one = |kind: &v1::MoveType| {
        let arguments = kind.parameters.iter().map(|parameter| {
            let value = of_type(parameter.r#type.as_ref());
            let name = json!({"const": parameter.name, "title": title(&parameter.names)});
            object(json!({"name": name, "value": value}), &["name", "value"])
        });
        let arguments: Vec<Value> = arguments.collect();
        let most = arguments.len();
        let items = match arguments.is_empty() {
            true => json!(false),
            false => json!({"anyOf": arguments}),
        };
        let name =
            json!({"const": kind.name, "title": title(&kind.names), "description": kind.step});
        object(
            json!({
                "name": name,
                "arguments": {"type": "array", "items": items, "maxItems": most},
            }),
            &["name"],
        )
    };
    let mut all: Vec<Value> = Vec::new();
    for kind in named.values().flatten() {
        let schema = one(kind);
        if !all.contains(&schema) {
            all.push(schema);
        }
    }
    json!({
        "$schema": DIALECT,
        "title": "A move",
        "anyOf": all,
        "$defs": definitions(ruleset),
    })
}

/// What a `View` of this ruleset looks like, without names.
pub fn views(ruleset: &v1::Ruleset) -> Value {
    let whole = json!({"type": "integer", "minimum": 0});
    let value = json!({"$ref": "#/$defs/value"});
    let argument = object(
        json!({"name": {"type": "string"}, "value": value}),
        &["name"],
    );
    let arguments = json!({"type": "array", "items": argument});
    let mut frames: Vec<&str> = Vec::new();
    for phase in &ruleset.phases {
        frames.push(&phase.id);
        frames.extend(phase.steps.iter().map(|step| step.id.as_str()));
    }
    let phase = object(
        json!({"phase": {"enum": frames}, "arguments": arguments}),
        &["phase"],
    );
    let places = ruleset.places.iter().map(|place| {
        let table = json!({"const": place.table});
        let row = json!({"$ref": format!("#/$defs/id.{}", place.table)});
        let count = object(
            json!({"row": row, "count": {"type": "integer", "minimum": 1}}),
            &["row", "count"],
        );
        let contents = object(json!({"counts": {"type": "array", "items": count}}), &[]);
        object(
            json!({
                "place": reference(&[&place.id]),
                "table": table,
                "pile": {"type": "boolean"},
                "size": whole,
                "contents": contents,
                "endless": {"type": "boolean"},
            }),
            &["place", "table"],
        )
    });
    let places: Vec<Value> = places.collect();
    let counters: Vec<&str> = ruleset.counters.iter().map(|c| c.id.as_str()).collect();
    let counter = object(
        json!({"counter": reference(&counters), "value": {"$ref": "#/$defs/integer"}}),
        &["counter"],
    );
    let markers: Vec<&str> = ruleset.markers.iter().map(|m| m.id.as_str()).collect();
    let marker = object(
        json!({"marker": reference(&markers), "value": value}),
        &["marker"],
    );
    let kept = ruleset.phases.iter().flat_map(|phase| {
        let kept = phase.kept.iter();
        kept.map(|kept| kept.id.clone())
    });
    let kept: Vec<String> = kept.collect();
    let kept: Vec<&str> = kept.iter().map(String::as_str).collect();
    let kept = object(
        json!({"marker": reference(&kept), "value": value}),
        &["marker"],
    );
    let seats = json!({"type": "array", "items": {"$ref": "#/$defs/seat"}});
    let mut schema = object(
        json!({
            "seat": whole,
            "phases": {"type": "array", "items": phase},
            "places": {"type": "array", "items": {"anyOf": places}},
            "counters": {"type": "array", "items": counter},
            "markers": {"type": "array", "items": marker},
            "kept": {"type": "array", "items": kept},
            "askingStep": {"type": "string"},
            "waitingSeats": seats,
            "scores": {"type": "array", "items": {"type": "object"}},
            "outcome": {"type": "object"},
            "eventCount": {"$ref": "#/$defs/integer"},
            "glossary": {"type": "object"},
        }),
        &[],
    );
    schema["$schema"] = json!(DIALECT);
    schema["title"] = json!("A view");
    schema["$defs"] = Value::Object(definitions(ruleset));
    schema
}
