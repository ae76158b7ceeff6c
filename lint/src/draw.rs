//! Draws a layout as text: a row with a bar of bytes for each field, one variant below the other.

use crate::ir::AdtKind;
use crate::layout::view::{FieldView, VariantView, View};

/// Maximum number of cells of a bar.
const CELLS: u64 = 32;

/// Columns of a drawing that is not for a terminal, for lists of names.
const WIDTH: usize = 80;

/// Minimum number of columns for the name and type of a field.
const LEAST_WORDS: usize = 30;

/// Columns before a field's name.
const BEFORE_NAME: usize = 7 + 7 + 2 + CELLS as usize + 2;

/// The characters of bars.
#[derive(Clone, Copy, Debug)]
pub struct Signs {
    field: char,
    elsewhere: char,
    padding: char,
    tag: char,
    niche: char,
}

impl Signs {
    /// For terminals.
    pub const BLOCKS: Signs = Signs {
        field: '█',
        elsewhere: '·',
        padding: '░',
        tag: '▚',
        niche: '▒',
    };

    /// For files and pipes.
    pub const ASCII: Signs = Signs {
        field: '#',
        elsewhere: '.',
        padding: '-',
        tag: 'T',
        niche: 'N',
    };
}

/// How much is drawn.
#[derive(Clone, Copy, Debug)]
pub struct Room {
    /// Names and types are cut to fit into so many columns; without a limit they are complete.
    pub columns: Option<usize>,
    /// Of so many variants with fields on only the widest are drawn; as many without are named.
    pub most: usize,
}

/// Draws a layout under the heading `name`; `shown` prints the type of a field.
pub fn draw(
    name: &str,
    view: &View,
    signs: Signs,
    Room { columns, most }: Room,
    shown: impl Fn(&FieldView) -> String,
) -> String {
    let mut drawing = Drawing {
        view,
        signs,
        cell: cell_size(view.size),
        columns,
        text: String::new(),
    };
    drawing.head(name);
    if view.variants.is_empty() {
        drawing.line("");
        drawing.rule();
        let row = Row::new(0, view.size, signs.field, name.to_owned());
        drawing.row(&row);
    }
    let is_enum = view.kind == Some(AdtKind::Enum);
    let (with, without): (Vec<_>, Vec<_>) = view
        .variants
        .iter()
        .partition(|v| !v.fields.is_empty() || !is_enum);
    let (with, narrower) = widest(with, most);
    for variant in with {
        drawing.variant(variant, is_enum, &shown);
    }
    let width = columns.unwrap_or(WIDTH);
    if !without.is_empty() {
        let names = without.iter().map(|v| v.name.as_str());
        let mut names: Vec<String> = names.take(most).map(str::to_owned).collect();
        if without.len() > names.len() {
            names.push(format!("and {} more", without.len() - names.len()));
        }
        let list = format!("Variants without fields: {}", names.join(", "));
        drawing.line("");
        drawing.line(&crate::report::wrapped(&list, width, "  "));
    }
    if let [first, ..] = &narrower[..] {
        let variants = crate::report::count(narrower.len(), "more variant");
        let most = bytes(first.size);
        drawing.line("");
        drawing.line(&format!(
            "{variants} of at most {most} of fields; `--all-variants` draws them"
        ));
    }
    if view.size > 0 {
        drawing.legend();
    }
    drawing.text
}

/// Splits off what is narrower than the `most` widest variants, the widest first.
fn widest(all: Vec<&VariantView>, most: usize) -> (Vec<&VariantView>, Vec<&VariantView>) {
    if all.len() <= most {
        return (all, Vec::new());
    }
    let mut all = all;
    all.sort_by_key(|v| std::cmp::Reverse(v.size));
    let rest = all.split_off(most);
    (all, rest)
}

/// Draws a part of a value of `size` bytes as a bar: `taken` offset and size in bytes.
pub fn bar(size: u64, taken: (u64, u64), signs: Signs) -> String {
    let cell = cell_size(size);
    let (start, end) = (taken.0, taken.0.saturating_add(taken.1));
    let sign = |at: u64| match start < (at + 1) * cell && at * cell < end {
        true => signs.field,
        false => signs.elsewhere,
    };
    (0..size.div_ceil(cell)).map(sign).collect()
}

/// Returns the number of bytes per cell: a power of two.
fn cell_size(size: u64) -> u64 {
    size.div_ceil(CELLS)
        .max(1)
        .checked_next_power_of_two()
        .unwrap_or(1 << 63)
}

struct Drawing<'v> {
    view: &'v View,
    signs: Signs,
    cell: u64,
    columns: Option<usize>,
    text: String,
}

/// A part of a value and its name.
struct Row {
    offset: u64,
    size: u64,
    sign: char,
    words: String,
}

impl Row {
    fn new(offset: u64, size: u64, sign: char, words: String) -> Row {
        Row {
            offset,
            size,
            sign,
            words,
        }
    }
}

impl Drawing<'_> {
    fn line(&mut self, text: &str) {
        self.text.push_str(text.trim_end());
        self.text.push('\n');
    }

    fn head(&mut self, name: &str) {
        let view = self.view;
        let kind = match view.kind {
            Some(AdtKind::Struct) => "struct ",
            Some(AdtKind::Enum) => "enum ",
            Some(AdtKind::Union) => "union ",
            None => "",
        };
        self.line(&format!(
            "{kind}{name}: {}, align {}",
            bytes(view.size),
            view.align
        ));
        if view.uninhabited {
            self.line("uninhabited: it has no values");
        }
        if let Some(tag) = &view.tag {
            let kept = match tag.niche_of {
                Some(variant) => format!(", in the niche of `{variant}`"),
                None => String::new(),
            };
            self.line(&format!("tag: {} at {}{kept}", bytes(tag.size), tag.offset));
        }
        if let Some(niche) = &view.niche {
            let values = niche.words();
            self.line(&format!(
                "niche: {values} in {} at {}",
                bytes(niche.size),
                niche.offset
            ));
        }
    }

    /// Writes the offsets above the bars.
    fn rule(&mut self) {
        let cells = self.cells();
        let end = self.view.size.to_string();
        let width = (cells.saturating_sub(1)).max(end.len() + 1);
        let text = format!("{:>7}{:>7}  0{end:>width$}", "offset", "size");
        self.line(&text);
    }

    fn cells(&self) -> usize {
        self.view.size.div_ceil(self.cell) as usize
    }

    fn variant(
        &mut self,
        variant: &VariantView,
        is_enum: bool,
        shown: &impl Fn(&FieldView) -> String,
    ) {
        let signs = self.signs;
        self.line("");
        if is_enum {
            let absent = if variant.absent { ", uninhabited" } else { "" };
            self.line(&format!(
                "{}: {} of fields{absent}",
                variant.name,
                bytes(variant.size)
            ));
        }
        if variant.absent {
            return;
        }
        self.rule();
        let mut rows: Vec<Row> = variant
            .fields
            .iter()
            .map(|f| {
                let words = format!("{}: {}", f.name, shown(f));
                Row::new(f.offset, f.size, signs.field, words)
            })
            .collect();
        let has_tag = self
            .view
            .tag
            .as_ref()
            .filter(|t| t.niche_of != Some(variant.name));
        if let Some(tag) = has_tag {
            rows.push(Row::new(
                tag.offset,
                tag.size,
                signs.tag,
                "(tag)".to_owned(),
            ));
        }
        // In a union every field starts at the same place; what is left is at the end.
        for gap in self.view.padding(variant) {
            rows.push(Row::new(
                gap.offset,
                gap.size,
                signs.padding,
                "(padding)".to_owned(),
            ));
        }
        rows.sort_by_key(|r| (r.offset, r.size));
        for row in &rows {
            self.row(row);
        }
    }

    fn row(&mut self, row: &Row) {
        let words = match self.columns {
            Some(columns) => {
                let room = columns.saturating_sub(BEFORE_NAME);
                clipped(&row.words, room.max(LEAST_WORDS))
            }
            None => row.words.clone(),
        };
        let bar = self.bar(row);
        let pad = CELLS as usize;
        let text = format!("{:>7}{:>7}  {bar:pad$}  {words}", row.offset, row.size);
        self.line(&text);
    }

    fn bar(&self, row: &Row) -> String {
        let covers = |offset: u64, size: u64, cell: u64| {
            let start = cell * self.cell;
            let end = start.saturating_add(self.cell);
            size > 0 && offset < end && start < offset.saturating_add(size)
        };
        let is_field = row.sign == self.signs.field;
        (0..self.cells() as u64)
            .map(|cell| {
                let (tag, niche) = (&self.view.tag, &self.view.niche);
                if !covers(row.offset, row.size, cell) {
                    self.signs.elsewhere
                } else if is_field
                    && tag
                        .as_ref()
                        .is_some_and(|t| covers(t.offset, t.size, cell) && inside(row, t.offset))
                {
                    self.signs.tag
                } else if is_field
                    && niche
                        .as_ref()
                        .is_some_and(|n| covers(n.offset, n.size, cell) && inside(row, n.offset))
                {
                    self.signs.niche
                } else {
                    row.sign
                }
            })
            .collect()
    }

    fn legend(&mut self) {
        let Signs {
            field,
            elsewhere,
            padding,
            tag,
            niche,
        } = self.signs;
        self.line("");
        let scale = match self.cell {
            1 => "one character per byte".to_owned(),
            n => format!("one character per {n} bytes"),
        };
        let text = format!(
            "{field} field  {padding} padding  {tag} tag  {niche} niche  {elsewhere} elsewhere; {scale}"
        );
        self.line(&text);
    }
}

fn inside(row: &Row, offset: u64) -> bool {
    row.offset <= offset && offset - row.offset < row.size
}

/// A number of bytes in words.
pub fn bytes(n: u64) -> String {
    match n {
        1 => "1 byte".to_owned(),
        n => format!("{n} bytes"),
    }
}

/// Returns at most `most` characters of a text, with two dots at the end if it was cut.
fn clipped(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let mut short: String = text.chars().take(most.saturating_sub(2)).collect();
    short.push_str("..");
    short
}

#[cfg(test)]
mod tests;
