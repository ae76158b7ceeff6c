//! Types of which sizes, alignments and unused values of the parts are known, but no definition: as
//! rustc's own calculator lays them out.

use super::coroutine::Calculator;
use super::{Data, Extent, Layout};
use ra_ap_rustc_abi::{
    AbiAlign, Align, BackendRepr, FieldIdx, HasDataLayout, Integer, LayoutCalculator, Primitive,
    ReprFlags, ReprOptions, Scalar, Size, TargetDataLayout, VariantIdx, Variants, WrappingRange,
};
use ra_ap_rustc_index::IndexVec;
use std::ops::Bound;
use std::sync::Arc;

/// A type from the outside.
#[derive(Clone, Debug)]
pub struct Outline(Arc<Data>);

/// Values of a scalar, the first and the last; they wrap around if the last is the smaller one.
pub type Values = (u128, u128);

/// In which order the fields of a struct lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// As rustc likes.
    Free,
    /// As rustc likes, but the last one, which may be unsized in other instances.
    LastApart,
    /// As declared.
    Declared,
}

impl Order {
    /// Each.
    pub const ALL: [Order; 3] = [Order::Free, Order::LastApart, Order::Declared];
}

impl From<Data> for Outline {
    fn from(data: Data) -> Outline {
        Outline(Arc::new(data))
    }
}

impl Outline {
    /// Size and alignment.
    pub fn extent(&self) -> Extent {
        Extent {
            size: self.0.size.bytes(),
            align: self.0.align.bytes(),
        }
    }

    /// Where a part of it is.
    pub fn offset(&self, part: usize) -> Option<u64> {
        let fields = &self.0.fields;
        (part < fields.count()).then(|| fields.offset(part).bytes())
    }

    /// Whether both are the same to what is around them.
    pub fn is_like(&self, other: &Outline) -> bool {
        self.extent() == other.extent() && self.0.largest_niche == other.0.largest_niche
    }
}

type Fields<'o> = IndexVec<FieldIdx, Layout<'o>>;

fn fields<'o>(list: impl IntoIterator<Item = &'o Outline>) -> Fields<'o> {
    list.into_iter().map(|outline| Layout(&outline.0)).collect()
}

impl Calculator {
    fn of(&self) -> Option<&LayoutCalculator<TargetDataLayout>> {
        self.0.as_ref()
    }

    /// A type without unused values.
    pub fn opaque(&self, extent: Extent) -> Option<Outline> {
        let dl = self.of()?.cx.data_layout();
        super::coroutine::opaque(dl, extent).map(Outline::from)
    }

    /// A number or an address with these values; all that it can have, if there are none.
    pub fn scalar(&self, extent: Extent, values: Option<Values>) -> Option<Outline> {
        let dl = self.of()?.cx.data_layout();
        let size = Size::from_bytes(extent.size.min(17));
        let int = Integer::from_size(size).ok()?;
        let (start, end) = values.unwrap_or((0, size.unsigned_int_max()));
        let scalar = Scalar::Initialized {
            value: Primitive::Int(int, false),
            valid_range: WrappingRange { start, end },
        };
        let mut data = Data::scalar(dl, scalar);
        data.align = AbiAlign::new(Align::from_bytes(extent.align).ok()?);
        Some(data.into())
    }

    /// A struct. A `values` limits those of the number that it is.
    pub fn structure(
        &self,
        list: &[Outline],
        order: Order,
        hides_unused: bool,
        values: Option<Values>,
    ) -> Option<Outline> {
        let repr = ReprOptions {
            flags: match order {
                Order::Declared => ReprFlags::IS_C,
                _ => ReprFlags::empty(),
            },
            ..ReprOptions::default()
        };
        let all: IndexVec<VariantIdx, Fields<'_>> = IndexVec::from_raw(vec![fields(list)]);
        let calc = self.of()?;
        let within = |range| {
            let layout = calc.layout_of_struct_or_enum(
                &repr,
                &all,
                false,
                hides_unused,
                range,
                tag,
                std::iter::empty(),
                order != Order::LastApart,
            );
            layout.ok()
        };
        let whole: Data = within((Bound::Unbounded, Bound::Unbounded))?;
        // The calculator takes for granted that only a number has a range.
        let is_number = matches!(whole.backend_repr, BackendRepr::Scalar(_));
        let limited = values
            .filter(|_| is_number)
            .map(|(first, last)| within((Bound::Included(first), Bound::Included(last))));
        limited.unwrap_or(Some(whole)).map(Outline::from)
    }

    /// An enum, with offset and size of its tag.
    pub fn enumeration(&self, list: &[Vec<Outline>]) -> Option<(Outline, Option<(u64, u64)>)> {
        let calc = self.of()?;
        let all: IndexVec<VariantIdx, Fields<'_>> = list.iter().map(fields).collect();
        let numbers = all.indices().zip(0..);
        let any = (Bound::Unbounded, Bound::Unbounded);
        let layout = calc.layout_of_struct_or_enum(
            &ReprOptions::default(),
            &all,
            true,
            false,
            any,
            tag,
            numbers,
            true,
        );
        let layout: Data = layout.ok()?;
        let tag = match &layout.variants {
            Variants::Multiple { tag, tag_field, .. } => {
                let offset = layout.fields.offset(tag_field.index());
                let size = tag.size(calc.cx.data_layout());
                Some((offset.bytes(), size.bytes()))
            }
            _ => None,
        };
        Some((layout.into(), tag))
    }

    /// A union.
    pub fn union_of(&self, list: &[Outline]) -> Option<Outline> {
        let all: IndexVec<VariantIdx, Fields<'_>> = IndexVec::from_raw(vec![fields(list)]);
        let layout = self.of()?.layout_of_union(&ReprOptions::default(), &all);
        layout.ok().map(Outline::from)
    }

    /// Adjacent values.
    pub fn array(&self, element: &Outline, count: u64) -> Option<Outline> {
        let of = element.extent();
        let mut array = self.opaque(Extent {
            size: of.size.checked_mul(count)?,
            align: of.align,
        })?;
        Arc::make_mut(&mut array.0).largest_niche = element.0.largest_niche.filter(|_| count > 0);
        Some(array)
    }
}

/// The smallest number that counts variants up to the last.
fn tag(first: i128, last: i128) -> (Integer, bool) {
    let most = first.max(last).unsigned_abs();
    (Integer::fit_unsigned(most), false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::project::Project;
    use std::mem::offset_of;
    use std::path::PathBuf;

    fn calculator() -> Calculator {
        Calculator::new(&Project::of_root(PathBuf::new()))
    }

    fn number(size: u64, values: Option<Values>) -> Outline {
        let extent = Extent { size, align: size };
        calculator().scalar(extent, values).expect("it is a number")
    }

    fn size(outline: Option<Outline>) -> u64 {
        outline.expect("it has a layout").extent().size
    }

    #[test]
    fn of_rustc() {
        let calc = calculator();
        let plain = [1, 8, 2].map(|size| number(size, None));
        let at = |order| size(calc.structure(&plain, order, false, None));
        assert_eq!(at(Order::Free), size_of::<(u8, u64, u16)>() as u64);
        #[repr(C)]
        struct C(u8, u64, u16);
        #[expect(dead_code, reason = "only its layout counts")]
        struct Free([u64; 2], &'static u8);
        assert_eq!(at(Order::Declared), size_of::<C>() as u64);
        #[expect(dead_code, reason = "only its layout counts")]
        struct Tail<T: ?Sized>([u64; 2], T);
        let address = number(8, Some((1, u128::from(u64::MAX))));
        let wide = calc.opaque(Extent { size: 16, align: 8 });
        let list = [wide.expect("it is"), address];
        let tag = |order| {
            let some = calc.structure(&list, order, false, None).expect("it is");
            let address = some.offset(1);
            let option = calc.enumeration(&[vec![some], Vec::new()]);
            let tag = option.expect("it is").1.map(|(at, _)| at);
            assert_eq!(tag, address);
            tag
        };
        let apart = offset_of!(Tail<&'static u8>, 1) as u64;
        assert_eq!(tag(Order::LastApart), Some(apart));
        let free = offset_of!(Free, 1) as u64;
        assert_eq!(tag(Order::Free), Some(free));
        assert_ne!(free, apart);
        #[expect(dead_code, reason = "only its size counts")]
        union Any {
            byte: u8,
            word: u64,
            half: u16,
        }
        assert_eq!(size(calc.union_of(&plain)), size_of::<Any>() as u64);
        assert_eq!(size(calc.array(&plain[2], 5)), size_of::<[u16; 5]>() as u64);
    }

    #[test]
    fn unused_values_are_tags() {
        let calc = calculator();
        let of = |one: &Outline| {
            let some = vec![one.clone()];
            calc.enumeration(&[some, Vec::new()]).expect("it is")
        };
        let flag = number(1, Some((0, 1)));
        let (byte, word) = (number(1, None), number(8, None));
        let said = |(outline, tag): (Outline, _)| (outline.extent().size, tag);
        assert_eq!(said(of(&flag)), (1, Some((0, 1))));
        assert_eq!(
            said(of(&byte)),
            (size_of::<Option<u8>>() as u64, Some((0, 1)))
        );
        assert_eq!(said(of(&word)), (16, Some((0, 8))));
        let both = calc.structure(&[word.clone(), flag.clone()], Order::Free, false, None);
        assert_eq!(said(of(&both.expect("it is"))), (16, Some((8, 1))));
        let hidden = calc.structure(&[flag], Order::Free, true, None);
        let cell = size_of::<Option<std::cell::UnsafeCell<bool>>>() as u64;
        assert_eq!(said(of(&hidden.expect("it is"))), (cell, Some((0, 1))));
        let some = calc.structure(&[word], Order::Free, false, Some((1, u128::from(u64::MAX))));
        assert_eq!(said(of(&some.expect("it is"))), (8, Some((0, 8))));
        let one = calc.enumeration(&[vec![byte]]).expect("it is");
        assert_eq!(said(one), (1, None));
    }
}
