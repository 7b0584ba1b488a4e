//! Where boxes and arrows lie. The only place that knows the layout library.

use dugong::graphlib::{Graph, GraphOptions};
use dugong::{EdgeLabel, GraphLabel, NodeLabel, RankDir};

use super::drawing::{Drawing, Shape};
use referee_store::numbers::float;

/// Width of a character of a title, and of any other line.
pub(super) const WIDE: f64 = 7.2;
pub(super) const NARROW: f64 = 6.2;
/// Height of a line.
pub(super) const LINE: f64 = 15.0;
const PADDING: (f64, f64) = (20.0, 14.0);

/// A point.
pub(super) type Point = (f64, f64);

/// What lies where.
pub(super) struct Layout {
    /// Centre, width and height of each box.
    pub boxes: Vec<(Point, f64, f64)>,
    /// Points of each arrow and the middle of its label.
    pub arrows: Vec<(Vec<Point>, Option<Point>)>,
    /// Width and height of everything.
    pub size: (f64, f64),
}

/// The size of a box.
fn size(one: &super::drawing::Box) -> (f64, f64) {
    let title = float(one.title.chars().count()) * WIDE;
    let lines = one
        .lines
        .iter()
        .map(|line| float(line.chars().count()) * NARROW);
    let width = lines.fold(title, f64::max) + PADDING.0;
    let height = LINE * float(1 + one.lines.len()) + PADDING.1;
    match one.shape {
        // Its corners are cut off.
        Shape::Control => (width + 24.0, height),
        _ => (width.max(48.0), height),
    }
}

/// Lays a drawing out in layers; if the library should fail, in a column.
pub(super) fn layout(drawing: &Drawing) -> Layout {
    let sizes: Vec<(f64, f64)> = drawing.boxes.iter().map(size).collect();
    let mut graph: Graph<NodeLabel, EdgeLabel, GraphLabel> = Graph::new(GraphOptions {
        directed: true,
        multigraph: true,
        compound: false,
    });
    graph.set_graph(GraphLabel {
        rankdir: RankDir::TB,
        nodesep: 28.0,
        ranksep: 34.0,
        edgesep: 12.0,
        marginx: 6.0,
        marginy: 6.0,
        ..GraphLabel::default()
    });
    for (i, (width, height)) in sizes.iter().enumerate() {
        let label = NodeLabel {
            width: *width,
            height: *height,
            ..NodeLabel::default()
        };
        graph.set_node(i.to_string(), label);
    }
    for (i, arrow) in drawing.arrows.iter().enumerate() {
        let (width, height) = match &arrow.label {
            Some(label) => (float(label.chars().count()) * NARROW + 8.0, LINE),
            None => (0.0, 0.0),
        };
        let label = EdgeLabel {
            width,
            height,
            weight: 1.0,
            ..EdgeLabel::default()
        };
        graph.set_edge_named(
            arrow.from.to_string(),
            arrow.to.to_string(),
            Some(i.to_string()),
            Some(label),
        );
    }
    match dugong::layout(&mut graph) {
        Ok(()) => read(drawing, &graph, &sizes).unwrap_or_else(|| column(drawing, &sizes)),
        Err(_) => column(drawing, &sizes),
    }
}

fn read(
    drawing: &Drawing,
    graph: &Graph<NodeLabel, EdgeLabel, GraphLabel>,
    sizes: &[(f64, f64)],
) -> Option<Layout> {
    let mut boxes = Vec::new();
    for (i, (width, height)) in sizes.iter().enumerate() {
        let label = graph.node(&i.to_string())?;
        boxes.push(((label.x?, label.y?), *width, *height));
    }
    let mut arrows = Vec::new();
    for (i, arrow) in drawing.arrows.iter().enumerate() {
        let name = i.to_string();
        let label = graph.edge(&arrow.from.to_string(), &arrow.to.to_string(), Some(&name))?;
        let points: Vec<Point> = label
            .points
            .iter()
            .map(|point| (point.x, point.y))
            .collect();
        let middle = arrow.label.as_ref().and(label.x.zip(label.y));
        arrows.push((points, middle));
    }
    Some(fit(boxes, arrows))
}

fn column(drawing: &Drawing, sizes: &[(f64, f64)]) -> Layout {
    let widest = sizes.iter().map(|(width, _)| *width).fold(0.0, f64::max);
    let mut y = 6.0;
    let mut boxes = Vec::new();
    for (width, height) in sizes {
        boxes.push(((widest / 2.0 + 6.0, y + height / 2.0), *width, *height));
        y += height + 40.0;
    }
    let middle = |i: usize| boxes.get(i).map_or((0.0, 0.0), |(middle, ..)| *middle);
    let arrows = drawing
        .arrows
        .iter()
        .map(|arrow| (vec![middle(arrow.from), middle(arrow.to)], None))
        .collect();
    fit(boxes, arrows)
}

/// Moves everything so that it begins at the corner.
fn fit(boxes: Vec<(Point, f64, f64)>, arrows: Vec<(Vec<Point>, Option<Point>)>) -> Layout {
    let (mut least, mut most) = ((f64::MAX, f64::MAX), (f64::MIN, f64::MIN));
    let mut meet = |(x, y): Point| {
        least = (least.0.min(x), least.1.min(y));
        most = (most.0.max(x), most.1.max(y));
    };
    for ((x, y), width, height) in &boxes {
        meet((x - width / 2.0, y - height / 2.0));
        meet((x + width / 2.0, y + height / 2.0));
    }
    for (points, label) in &arrows {
        points.iter().copied().for_each(&mut meet);
        if let Some((x, y)) = label {
            meet((x - 30.0, *y));
            meet((x + 30.0, *y));
        }
    }
    if boxes.is_empty() {
        (least, most) = ((0.0, 0.0), (0.0, 0.0));
    }
    let shift = |(x, y): Point| (x - least.0 + 6.0, y - least.1 + 6.0);
    Layout {
        boxes: boxes
            .into_iter()
            .map(|(middle, width, height)| (shift(middle), width, height))
            .collect(),
        arrows: arrows
            .into_iter()
            .map(|(points, label)| (points.into_iter().map(shift).collect(), label.map(shift)))
            .collect(),
        size: (most.0 - least.0 + 12.0, most.1 - least.1 + 12.0),
    }
}
