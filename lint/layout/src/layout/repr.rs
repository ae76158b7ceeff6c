//! `#[repr(…)]` and related attributes, in the calculator's form.

use crate::ir::{Attr, Item, Lit, Meta};
use crate::resolve::{CrateIx, Db, Res, Unknown};
use ra_ap_rustc_abi::{Align, Integer, IntegerType, ReprFlags, ReprOptions};
use std::ops::Bound;

/// The layout attributes of an item.
pub struct Repr {
    /// `repr`.
    pub options: ReprOptions,
    /// Valid values of the first scalar; unbounded without an attribute.
    pub valid_range: (Bound<u128>, Bound<u128>),
    /// `UnsafeCell`: hides the niches of its content.
    pub hides_niche: bool,
    /// `PhantomData`: zero-sized for any parameter.
    pub phantom: bool,
}

/// Reads the attributes of a type.
///
/// # Errors
/// Fails if one depends on an unresolved `cfg`, or is not understood.
pub fn of(db: &Db, krate: CrateIx, item: &Item) -> Res<Repr> {
    let mut repr = Repr {
        options: ReprOptions::default(),
        valid_range: (Bound::Unbounded, Bound::Unbounded),
        hides_niche: false,
        phantom: false,
    };
    for attr in &item.attrs.list {
        let [name] = attr.meta.path[..] else { continue };
        let name = name.as_str();
        let matters = name == "repr" || name == "lang" || name.starts_with("rustc_layout");
        if !matters {
            continue;
        }
        if let Some(cfg) = &attr.cfg
            && !db.cfg_holds(krate, cfg)?
        {
            continue;
        }
        match name {
            "repr" => {
                for meta in &attr.meta.list {
                    add(&mut repr.options, meta)?;
                }
            }
            "lang" => match &attr.meta.value {
                Some(Lit::Str(s)) if s == "unsafe_cell" => repr.hides_niche = true,
                Some(Lit::Str(s)) if s == "phantom_data" => repr.phantom = true,
                Some(Lit::Str(s)) if s == "owned_box" => {
                    repr.options.flags.insert(ReprFlags::IS_LINEAR);
                }
                _ => {}
            },
            "rustc_layout_scalar_valid_range_start" => repr.valid_range.0 = limit(attr)?,
            "rustc_layout_scalar_valid_range_end" => repr.valid_range.1 = limit(attr)?,
            _ => {}
        }
    }
    Ok(repr)
}

fn limit(attr: &Attr) -> Res<Bound<u128>> {
    match attr.meta.list.first().and_then(|m| m.value.as_ref()) {
        Some(Lit::Int(n, _)) => Ok(Bound::Included(n.get())),
        _ => Err(Unknown::because("a valid range that is no number")),
    }
}

fn add(options: &mut ReprOptions, meta: &Meta) -> Res<()> {
    let Some(name) = meta.path.first() else {
        return Ok(());
    };
    let int = |i| Some(IntegerType::Fixed(i, name.as_str().starts_with('i')));
    match name.as_str() {
        "C" => options.flags.insert(ReprFlags::IS_C),
        "transparent" => options.flags.insert(ReprFlags::IS_TRANSPARENT),
        "simd" => options.flags.insert(ReprFlags::IS_SIMD),
        "Rust" => {}
        "u8" | "i8" => options.int = int(Integer::I8),
        "u16" | "i16" => options.int = int(Integer::I16),
        "u32" | "i32" => options.int = int(Integer::I32),
        "u64" | "i64" => options.int = int(Integer::I64),
        "u128" | "i128" => options.int = int(Integer::I128),
        "usize" => options.int = Some(IntegerType::Pointer(false)),
        "isize" => options.int = Some(IntegerType::Pointer(true)),
        "align" => {
            let align = align(meta)?;
            options.align = Some(options.align.map_or(align, |a| a.max(align)));
        }
        "packed" => {
            let pack = match meta.list.is_empty() {
                true => Align::ONE,
                false => align(meta)?,
            };
            options.pack = Some(options.pack.map_or(pack, |p| p.min(pack)));
        }
        other => {
            return Err(Unknown::because(format!(
                "`repr({other})` is not understood"
            )));
        }
    }
    Ok(())
}

/// Returns the bytes in `align(n)` or `packed(n)`.
fn align(meta: &Meta) -> Res<Align> {
    let bytes = match meta.list.first().and_then(|m| m.value.as_ref()) {
        Some(Lit::Int(n, _)) => u64::try_from(n.get()).ok(),
        _ => None,
    };
    bytes
        .and_then(|b| Align::from_bytes(b).ok())
        .ok_or_else(|| Unknown::because("an alignment that is no power of two"))
}
