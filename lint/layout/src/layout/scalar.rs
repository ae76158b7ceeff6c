//! Layouts without parts: primitives, pointers, and the unsized tails behind pointers.

use super::Data;
use crate::resolve::ty::Prim;
use ra_ap_rustc_abi::{
    AddressSpace, BackendRepr, FieldsShape, Float, HasDataLayout, Integer, Primitive, Scalar, Size,
    TargetDataLayout, WrappingRange,
};

/// Returns the layout of a primitive.
pub fn prim(dl: &TargetDataLayout, prim: Prim) -> Data {
    let int = |i: Integer, signed| full(dl, Primitive::Int(i, signed));
    let float = |f: Float| full(dl, Primitive::Float(f));
    let word = dl.ptr_sized_integer();
    let scalar = match prim {
        Prim::Bool => ranged(Primitive::Int(Integer::I8, false), 0, 1),
        Prim::Char => ranged(Primitive::Int(Integer::I32, false), 0, 0x10_FFFF),
        Prim::Str => return unsized_tail(dl),
        Prim::U8 => int(Integer::I8, false),
        Prim::U16 => int(Integer::I16, false),
        Prim::U32 => int(Integer::I32, false),
        Prim::U64 => int(Integer::I64, false),
        Prim::U128 => int(Integer::I128, false),
        Prim::Usize => int(word, false),
        Prim::I8 => int(Integer::I8, true),
        Prim::I16 => int(Integer::I16, true),
        Prim::I32 => int(Integer::I32, true),
        Prim::I64 => int(Integer::I64, true),
        Prim::I128 => int(Integer::I128, true),
        Prim::Isize => int(word, true),
        Prim::F16 => float(Float::F16),
        Prim::F32 => float(Float::F32),
        Prim::F64 => float(Float::F64),
        Prim::F128 => float(Float::F128),
    };
    Data::scalar(dl, scalar)
}

fn ranged(value: Primitive, start: u128, end: u128) -> Scalar {
    Scalar::Initialized {
        value,
        valid_range: WrappingRange { start, end },
    }
}

fn full(dl: &TargetDataLayout, value: Primitive) -> Scalar {
    Scalar::Initialized {
        value,
        valid_range: WrappingRange::full(value.size(dl)),
    }
}

/// Returns a thin pointer; one that is never null has a niche.
pub fn pointer(dl: &TargetDataLayout, non_null: bool) -> Scalar {
    let mut scalar = full(dl, Primitive::Pointer(AddressSpace::ZERO));
    if non_null {
        scalar.valid_range_mut().start = 1;
    }
    scalar
}

/// Returns a slice's length.
pub fn length(dl: &TargetDataLayout) -> Scalar {
    full(dl, Primitive::Int(dl.ptr_sized_integer(), false))
}

/// Returns the layout behind a fat pointer: only that it is unsized matters.
pub fn unsized_tail(dl: &TargetDataLayout) -> Data {
    let mut data = Data::unit(dl.data_layout(), false);
    data.fields = FieldsShape::Arbitrary {
        offsets: Default::default(),
        in_memory_order: Default::default(),
    };
    data.backend_repr = BackendRepr::Memory { sized: false };
    data.size = Size::ZERO;
    data
}

/// Returns the same primitive without its sign.
pub fn unsigned(value: Primitive) -> Primitive {
    match value {
        Primitive::Int(int, _) => Primitive::Int(int, false),
        other => other,
    }
}

/// Returns the same representation with unsigned integers.
pub fn unsigned_repr(repr: BackendRepr) -> BackendRepr {
    let plain = |scalar| match scalar {
        Scalar::Initialized { value, valid_range } => Scalar::Initialized {
            value: unsigned(value),
            valid_range,
        },
        Scalar::Union { value } => Scalar::Union {
            value: unsigned(value),
        },
    };
    match repr {
        BackendRepr::Scalar(a) => BackendRepr::Scalar(plain(a)),
        BackendRepr::ScalarPair(a, b) => BackendRepr::ScalarPair(plain(a), plain(b)),
        other => other,
    }
}
