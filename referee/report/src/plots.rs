//! Plots as SVG: histograms and bars. The only place that knows the plotting library.

use num_traits::ToPrimitive;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use referee_store::numbers::{float, to_i64, to_u32, to_usize};

/// Size of a plot.
const SIZE: (u32, u32) = (620, 300);

/// Most columns of a histogram; more values share one.
const COLUMNS: i64 = 40;

const COLOURS: [RGBColor; 6] = [
    RGBColor(31, 95, 153),
    RGBColor(191, 108, 38),
    RGBColor(44, 110, 63),
    RGBColor(140, 60, 120),
    RGBColor(120, 110, 30),
    RGBColor(90, 90, 96),
];

/// A bar: what it is called, how high it is, and how uncertain that is.
#[derive(Clone, Debug, PartialEq)]
pub struct Bar {
    /// Its name.
    pub name: String,
    /// Its height.
    pub value: f64,
    /// Half of the interval in which the true value lies in 95 of 100 cases.
    pub uncertain: f64,
}

/// How often each number occurs, by series. Empty if there are no numbers.
pub fn histogram(title: &str, below: &str, series: &[(String, Vec<i64>)]) -> String {
    let all = || series.iter().flat_map(|(_, values)| values.iter().copied());
    let (Some(least), Some(most)) = (all().min(), all().max()) else {
        return String::new();
    };
    let width = ((most - least) / COLUMNS + 1).max(1);
    let columns = to_usize((most - least) / width + 1);
    let mut counts: Vec<Vec<u32>> = vec![vec![0; columns]; series.len()];
    for (counts, (_, values)) in counts.iter_mut().zip(series) {
        for value in values {
            counts[to_usize((value - least) / width)] += 1;
        }
    }
    let highest = counts.iter().flatten().copied().max().unwrap_or(0);
    let mut text = String::new();
    {
        let root = SVGBackend::with_string(&mut text, SIZE).into_drawing_area();
        let from = float(least);
        let to = float(least + width * to_i64(columns));
        let drawn = ChartBuilder::on(&root)
            .caption(title, ("sans-serif", 16))
            .margin(8)
            .x_label_area_size(34)
            .y_label_area_size(46)
            .build_cartesian_2d(from..to, 0f64..f64::from(highest) * 1.05 + 0.5)
            .and_then(|mut chart| {
                chart
                    .configure_mesh()
                    .disable_x_mesh()
                    .x_desc(below)
                    .light_line_style(TRANSPARENT)
                    .draw()?;
                let single = series.len() == 1;
                for (i, ((name, _), counts)) in series.iter().zip(&counts).enumerate() {
                    let colour = COLOURS[i % COLOURS.len()];
                    let at = |column: usize| float(least + width * to_i64(column));
                    if single {
                        let bars = counts.iter().enumerate().map(|(column, n)| {
                            let corners = [(at(column), 0.0), (at(column + 1), f64::from(*n))];
                            Rectangle::new(corners, colour.mix(0.75).filled())
                        });
                        chart.draw_series(bars)?;
                    } else {
                        let line = counts
                            .iter()
                            .enumerate()
                            .map(|(column, n)| (at(column) + float(width) / 2.0, f64::from(*n)));
                        chart
                            .draw_series(LineSeries::new(line, colour.stroke_width(2)))?
                            .label(name.as_str())
                            .legend(move |(x, y)| {
                                PathElement::new(vec![(x, y), (x + 14, y)], colour.stroke_width(2))
                            });
                    }
                }
                if !single {
                    chart
                        .configure_series_labels()
                        .background_style(WHITE.mix(0.8))
                        .border_style(BLACK.mix(0.3))
                        .draw()?;
                }
                Ok(())
            });
        if drawn.and_then(|()| root.present()).is_err() {
            return String::new();
        }
    }
    text
}

/// Bars side by side, with the intervals of what they show. Empty if there are none.
pub fn bars(title: &str, left: &str, bars: &[Bar]) -> String {
    if bars.is_empty() {
        return String::new();
    }
    let highest = bars
        .iter()
        .map(|bar| bar.value + bar.uncertain)
        .fold(0.0, f64::max);
    let lowest = bars
        .iter()
        .map(|bar| bar.value - bar.uncertain)
        .fold(0.0, f64::min);
    let room = (highest - lowest).max(1e-9) * 0.08;
    let mut text = String::new();
    {
        // Long names stand upright below their bars.
        let longest = bars
            .iter()
            .map(|bar| bar.name.chars().count())
            .max()
            .unwrap_or(0);
        let upright = bars.len() * longest * 7 > to_usize(SIZE.0) - 60;
        let below = if upright {
            (to_u32(longest) * 6 + 16).min(150)
        } else {
            30
        };
        let size = (SIZE.0.max(to_u32(bars.len()) * 18 + 70), SIZE.1 + below);
        let root = SVGBackend::with_string(&mut text, size).into_drawing_area();
        let count = float(bars.len());
        let top = if highest > 0.0 { highest + room } else { room };
        let bottom = if lowest < 0.0 { lowest - room } else { 0.0 };
        let drawn = ChartBuilder::on(&root)
            .caption(title, ("sans-serif", 16))
            .margin(8)
            .x_label_area_size(below)
            .y_label_area_size(52)
            .build_cartesian_2d(0f64..count, bottom..top)
            .and_then(|mut chart| {
                let style = ("sans-serif", 11).into_text_style(&root);
                // Names stand in the middle of their bars, which lie between whole numbers.
                let name = |x: &f64| {
                    let at = x.floor();
                    match (
                        (x - at - 0.5).abs() < 1e-6,
                        at.to_usize().and_then(|at| bars.get(at)),
                    ) {
                        (true, Some(bar)) if !upright => bar.name.clone(),
                        _ => String::new(),
                    }
                };
                chart
                    .configure_mesh()
                    .disable_x_mesh()
                    .x_labels(bars.len() * 2 + 1)
                    .x_label_formatter(&name)
                    .x_label_style(style.clone())
                    .y_desc(left)
                    .light_line_style(TRANSPARENT)
                    .draw()?;
                // The axis would centre them on its line.
                for (i, bar) in bars.iter().enumerate().filter(|_| upright) {
                    let (x, y) = chart.backend_coord(&(float(i) + 0.5, bottom));
                    let style = style
                        .transform(FontTransform::Rotate90)
                        .pos(Pos::new(HPos::Left, VPos::Center));
                    root.draw(&Text::new(bar.name.clone(), (x, y + 8), style))?;
                }
                chart.draw_series(bars.iter().enumerate().map(|(i, bar)| {
                    let i = float(i);
                    let corners = [(i + 0.15, 0.0), (i + 0.85, bar.value)];
                    Rectangle::new(corners, COLOURS[0].mix(0.75).filled())
                }))?;
                chart.draw_series(
                    bars.iter()
                        .enumerate()
                        .filter(|(_, b)| b.uncertain > 0.0)
                        .map(|(i, bar)| {
                            let x = float(i) + 0.5;
                            let ends = [
                                (x, bar.value - bar.uncertain),
                                (x, bar.value + bar.uncertain),
                            ];
                            PathElement::new(ends, BLACK.stroke_width(1))
                        }),
                )?;
                Ok(())
            });
        if drawn.and_then(|()| root.present()).is_err() {
            return String::new();
        }
    }
    text
}
