//! The macros of `weigh-derive`: the entry points.

mod attr;
mod expand;
mod item;
mod read;
mod valid;

use item::Item;
use proc_macro::TokenStream;

/// Asserts the size, alignment, niche or padding of a type at compile time.
///
/// The assertions are arguments of `#[assert_size(…)]`; the documentation of `weigh_derive` has a
/// table of them. An assertion that fails is one compile error that states the number. Misuse of an
/// argument is one compile error at that argument.
#[proc_macro_derive(AssertSize, attributes(assert_size))]
pub fn derive_assert_size(item: TokenStream) -> TokenStream {
    derive(item.into())
        .unwrap_or_else(|error| error.to_compile_error())
        .into()
}

/// Asserts the size of a type that cannot have a derive: `assert_size!(Foreign<u8>, max = 16);`.
///
/// The arguments are `max`, `min`, `exact`, `align`, `niche`, `pointer_width` and `cfg`.
#[proc_macro]
pub fn assert_size(arguments: TokenStream) -> TokenStream {
    match attr::parse_call(arguments.into()) {
        Ok((ty, attr)) => expand::expand_call(&ty, &attr).into(),
        Err(error) => error.to_compile_error().into(),
    }
}

/// Asserts the size of the future that a call returns, with `_` for an argument of any value:
/// `assert_future_size!(server::handle(_, _), max = 4096);`. The call is never made.
///
/// The arguments are `max`, `min`, `exact`, `pointer_width`, `cfg` and `crate`.
#[proc_macro]
pub fn assert_future_size(arguments: TokenStream) -> TokenStream {
    match attr::parse_future(arguments.into()) {
        Ok((call, attr)) => expand::expand_future(&call, &attr).into(),
        Err(error) => error.to_compile_error().into(),
    }
}

fn derive(item: proc_macro2::TokenStream) -> read::Result<proc_macro2::TokenStream> {
    let input = Item::read(item)?;
    let attrs = attr::parse(&input)?;
    valid::validate(&input, &attrs)?;
    Ok(expand::expand(&input, &attrs))
}
