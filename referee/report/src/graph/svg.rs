//! A picture. Nothing in it needs a font, a script or another file.

use std::fmt::Write as _;

use super::drawing::{Box, Drawing, Meaning, Shape};
use super::layout::{LINE, Layout, Point, layout};
use referee_store::numbers::float;

/// Frames are laid side by side up to this width.
const WIDTH: f64 = 1700.0;
const GAP: f64 = 24.0;
const HEAD: f64 = 26.0;

/// Everything begins with the picture's own class, because it may stand in a page that has classes too.
const STYLE: &str = ".phases text{font-family:Helvetica,Arial,sans-serif;font-size:12px;fill:#1a1a1a}\
.phases .title{font-size:18px;font-weight:bold}.phases .phase{font-size:14px;font-weight:bold}\
.phases .name{font-weight:bold}.phases .line{font-size:11px;fill:#444}.phases .when{font-size:11px;fill:#555}\
.phases .frame{fill:#fafafa;stroke:#bbb}.phases .box{stroke:#555;fill:#fff}.phases .begin{fill:#d9ead3}\
.phases .end{fill:#eee}.phases .ask{fill:#fff2cc}.phases .visit{fill:#d9d2e9}.phases .jump{fill:#f4cccc}\
.phases .way{fill:none;stroke:#555}.phases .visits{stroke-dasharray:5 4;stroke:#7a6aa8}\
.phases .behind{fill:#fafafa;opacity:.85}.phases a text{text-decoration:underline}";

pub(super) fn picture(drawings: &[Drawing], title: Option<&str>) -> String {
    let laid: Vec<Layout> = drawings.iter().map(layout).collect();
    let framed = title.is_some();
    let head = if framed { HEAD } else { 0.0 };
    // Shelves: each frame goes beside the one before it, as long as there is room.
    let (mut x, mut y, mut shelf, mut widest) = (0.0, if framed { 34.0 } else { 0.0 }, 0.0, 0.0f64);
    let mut places = Vec::new();
    for layout in &laid {
        let (width, height) = (layout.size.0, layout.size.1 + head);
        if x > 0.0 && x + width > WIDTH {
            (x, y, shelf) = (0.0, y + shelf + GAP, 0.0);
        }
        places.push((x, y));
        x += width + GAP;
        shelf = f64::max(shelf, height);
        widest = widest.max(x - GAP);
    }
    let (width, height) = (widest.max(200.0) + 2.0, y + shelf + 2.0);
    // Several pictures may stand in one page.
    let tip = match drawings {
        [only] => match &only.phases[..] {
            [phase] => format!("tip-{}", escaped(&phase.name)),
            _ => "tip-overview".to_owned(),
        },
        _ => "tip".to_owned(),
    };
    let mut out = String::new();
    let _ = writeln!(
        out,
        "<svg class=\"phases\" xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
         viewBox=\"-1 -1 {width:.0} {height:.0}\" role=\"img\"><title>{}</title><style>{STYLE}</style>\
         <defs><marker id=\"{tip}\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"8\" markerHeight=\"8\" \
         orient=\"auto-start-reverse\"><path d=\"M0 0L8 4L0 8z\" fill=\"#555\"/></marker></defs>",
        escaped(
            title.unwrap_or(
                drawings
                    .first()
                    .map_or("", |drawing| drawing.title.as_str())
            )
        )
    );
    if let Some(title) = title {
        let _ = writeln!(
            out,
            "<text class=\"title\" x=\"0\" y=\"18\">{}</text>",
            escaped(title)
        );
    }
    for ((drawing, layout), (x, y)) in drawings.iter().zip(&laid).zip(places) {
        let id = match &drawing.phases[..] {
            [only] if framed => format!(" id=\"phase-{}\"", escaped(&only.name)),
            _ => String::new(),
        };
        let _ = writeln!(out, "<g{id} transform=\"translate({x:.1} {y:.1})\">");
        if framed {
            let (width, height) = (layout.size.0, layout.size.1 + head);
            let _ = writeln!(
                out,
                "<rect class=\"frame\" width=\"{width:.1}\" height=\"{height:.1}\" rx=\"6\"/>\
                 <text class=\"phase\" x=\"10\" y=\"19\">{}</text>",
                escaped(&drawing.title)
            );
        }
        let _ = writeln!(out, "<g transform=\"translate(0 {head})\">");
        inside(&mut out, drawing, layout, framed, &tip);
        out.push_str("</g></g>\n");
    }
    out.push_str("</svg>\n");
    out
}

fn inside(out: &mut String, drawing: &Drawing, layout: &Layout, linked: bool, tip: &str) {
    for (arrow, (points, _)) in drawing.arrows.iter().zip(&layout.arrows) {
        let class = match arrow.meaning {
            Meaning::Next => "way",
            Meaning::Visits => "way visits",
        };
        let _ = writeln!(
            out,
            "<path class=\"{class}\" d=\"{}\" marker-end=\"url(#{tip})\"/>",
            smooth(points)
        );
    }
    for (one, ((x, y), width, height)) in drawing.boxes.iter().zip(&layout.boxes) {
        let link = linked && one.shape == Shape::Elsewhere;
        if link {
            let _ = write!(out, "<a href=\"#phase-{}\">", escaped(&one.address));
        }
        draw(out, one, *x, *y, *width, *height);
        out.push_str(if link { "</a>\n" } else { "\n" });
    }
    for (arrow, (_, middle)) in drawing.arrows.iter().zip(&layout.arrows) {
        if let (Some(label), Some((x, y))) = (&arrow.label, middle) {
            let width = float(label.chars().count()) * 5.6 + 4.0;
            let _ = writeln!(
                out,
                "<rect class=\"behind\" x=\"{:.1}\" y=\"{:.1}\" width=\"{width:.1}\" height=\"13\"/>\
                 <text class=\"when\" text-anchor=\"middle\" x=\"{x:.1}\" y=\"{:.1}\">{}</text>",
                x - width / 2.0,
                y - 7.0,
                y + 4.0,
                escaped(label)
            );
        }
    }
}

fn draw(out: &mut String, one: &Box, x: f64, y: f64, width: f64, height: f64) {
    let (left, top) = (x - width / 2.0, y - height / 2.0);
    let said = match &one.clause {
        Some(clause) => format!("{} @{clause}", one.address),
        None => one.address.clone(),
    };
    let _ = write!(out, "<g><title>{}</title>", escaped(&said));
    let round = match one.shape {
        Shape::Begin | Shape::End => height / 2.0,
        Shape::Ask => 8.0,
        _ => 2.0,
    };
    let class = match one.shape {
        Shape::Begin => "box begin",
        Shape::End => "box end",
        Shape::Control | Shape::Effect => "box",
        Shape::Jump => "box jump",
        Shape::Visit | Shape::Elsewhere => "box visit",
        Shape::Ask => "box ask",
    };
    if one.shape == Shape::Control {
        let (right, bottom, cut) = (left + width, top + height, 12.0);
        let _ = write!(
            out,
            "<path class=\"{class}\" d=\"M{:.1} {top:.1}H{:.1}L{right:.1} {y:.1}L{:.1} {bottom:.1}H{:.1}L{left:.1} {y:.1}z\"/>",
            left + cut,
            right - cut,
            right - cut,
            left + cut
        );
    } else {
        let _ = write!(
            out,
            "<rect class=\"{class}\" x=\"{left:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" rx=\"{round:.1}\"/>"
        );
        if matches!(one.shape, Shape::Visit | Shape::Elsewhere) {
            let _ = write!(
                out,
                "<path class=\"way\" d=\"M{:.1} {top:.1}v{height:.1}M{:.1} {top:.1}v{height:.1}\"/>",
                left + 5.0,
                left + width - 5.0
            );
        }
    }
    let first = y - LINE * float(one.lines.len()) / 2.0 + 4.0;
    let _ = write!(
        out,
        "<text class=\"name\" text-anchor=\"middle\" x=\"{x:.1}\" y=\"{first:.1}\">{}</text>",
        escaped(&one.title)
    );
    for (i, line) in one.lines.iter().enumerate() {
        let _ = write!(
            out,
            "<text class=\"line\" text-anchor=\"middle\" x=\"{x:.1}\" y=\"{:.1}\">{}</text>",
            first + LINE * float(i + 1),
            escaped(line)
        );
    }
    out.push_str("</g>");
}

/// A line through the middles between points, bent at them.
fn smooth(points: &[Point]) -> String {
    let mut path = String::new();
    let (Some((x, y)), Some(last)) = (points.first(), points.last()) else {
        return path;
    };
    let _ = write!(path, "M{x:.1} {y:.1}");
    for pair in points.windows(2).skip(1) {
        let [(x, y), (a, b)] = pair else { continue };
        let (middle_x, middle_y) = ((x + a) / 2.0, (y + b) / 2.0);
        let _ = write!(path, "Q{x:.1} {y:.1} {middle_x:.1} {middle_y:.1}");
    }
    let _ = write!(path, "L{:.1} {:.1}", last.0, last.1);
    path
}

/// Text of XML.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c => out.push(c),
        }
    }
    out
}
