//! One assertion of one type: a comparison, and the sentence for when it fails.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::ext::IdentExt;

use super::Subject;
use super::facts::{Facts, Limit};
use super::text::Sentence;
use crate::attr::{Assertion, Key};

/// An assertion as an item of the anonymous constant.
pub struct Check {
    pub tokens: TokenStream,
    /// At most so many bytes has its sentence.
    pub length: usize,
    /// Whether it calls the function that ranks variants.
    pub ranks_variants: bool,
}

impl Check {
    pub fn new(
        subject: &Subject,
        assertion: &Assertion,
        limits: &[Limit],
        facts: &mut Facts,
    ) -> Check {
        let mut draft = Draft {
            subject,
            assertion,
            facts,
            bindings: TokenStream::new(),
            ranking: TokenStream::new(),
            ranks_variants: false,
        };
        draft.bind_limits(limits);
        match assertion.key {
            Key::Max => draft.bounded(&quote!(>), " over its limit of "),
            Key::Min => draft.bounded(&quote!(<), " under its minimum of "),
            Key::Exact => draft.exact(limits.len()),
            Key::Align => draft.align(),
            Key::Niche => draft.niche(),
            Key::NoPadding => draft.no_padding(),
            Key::MaxGap => draft.max_gap(),
        }
    }
}

struct Draft<'a, 'b> {
    subject: &'a Subject,
    assertion: &'a Assertion,
    facts: &'a mut Facts<'b>,
    bindings: TokenStream,
    /// What the failing branch does first.
    ranking: TokenStream,
    ranks_variants: bool,
}

impl Draft<'_, '_> {
    /// A comparison with a literal might be one that rustc or clippy calls absurd.
    fn bind_limits(&mut self, limits: &[Limit]) {
        for (index, limit) in limits.iter().enumerate() {
            let value = limit.of(self.subject);
            let name = limit_name(index);
            let binding = quote!(let #name: __weigh_core::primitive::usize = #value;);
            self.bindings.extend(binding);
        }
    }

    fn bind_size(&mut self, size: &TokenStream) {
        self.bindings
            .extend(quote!(let size: __weigh_core::primitive::usize = #size;));
    }

    fn own_size(&self) -> TokenStream {
        let ty = &self.subject.ty;
        quote!(__weigh_core::mem::size_of::<#ty>())
    }

    /// Binds the size of the type or of the variant meant, and begins a sentence with it.
    fn bind_subject(&mut self) -> Sentence {
        let text = &self.subject.text;
        let (size, whose) = match &self.assertion.variant {
            Some(name) => {
                let size = self.facts.variant(self.subject, name);
                (
                    size,
                    format!("size of variant `{text}::{}` is ", name.unraw()),
                )
            }
            None => (self.own_size(), format!("size of `{text}` is ")),
        };
        self.bind_size(&size);
        Sentence::begin(&whose, &quote!(size))
    }

    fn bounded(mut self, fails: &TokenStream, relation: &str) -> Check {
        let mut sentence = self.bind_subject();
        sentence.unit(", ", &quote!(size.abs_diff(limit_0)));
        sentence.part(relation, &quote!(limit_0));
        self.finish_with_variants(&quote!(size #fails limit_0), sentence)
    }

    fn exact(mut self, sizes: usize) -> Check {
        let relations = [" over the exact size of ", " under the exact size of "];
        let mut sentence = self.bind_subject();
        let limits: Vec<Ident> = (0..sizes).map(limit_name).collect();
        match &limits[..] {
            [only] => {
                sentence.unit(", ", &quote!(size.abs_diff(#only)));
                sentence.either(&quote!(size > #only), relations, &only.to_token_stream());
            }
            several => {
                for (index, limit) in several.iter().enumerate() {
                    let limit = limit.to_token_stream();
                    match index {
                        0 => sentence.unit(", expected ", &limit),
                        n if n + 1 == several.len() => sentence.part(" or ", &limit),
                        _ => sentence.part(", ", &limit),
                    }
                }
            }
        }
        let fails = quote!(#(size != #limits)&&*);
        self.finish_with_variants(&fails, sentence)
    }

    fn align(mut self) -> Check {
        let relations = [
            " over the exact alignment of ",
            " under the exact alignment of ",
        ];
        let (ty, text) = (&self.subject.ty, &self.subject.text);
        let align = quote!(__weigh_core::mem::align_of::<#ty>());
        let mut sentence = Sentence::begin(&format!("alignment of `{text}` is "), &quote!(size));
        sentence.unit(", ", &quote!(size.abs_diff(limit_0)));
        sentence.either(&quote!(size > limit_0), relations, &quote!(limit_0));
        self.bind_size(&align);
        self.finish(&quote!(size != limit_0), &sentence)
    }

    fn niche(mut self) -> Check {
        let (ty, text) = (&self.subject.ty, &self.subject.text);
        let own = self.own_size();
        let option = quote_spanned!(self.subject.span=> __weigh_core::option::Option<#ty>);
        let mut sentence = Sentence::begin(&format!("size of `Option<{text}>` is "), &quote!(size));
        sentence.unit(", ", &quote!(size.abs_diff(own)));
        sentence.part(" over the ", &quote!(own));
        sentence.end(&format!(" of `{text}`, which has no niche"));
        self.bind_size(&quote!(__weigh_core::mem::size_of::<#option>()));
        self.bindings.extend(quote!(let own = #own;));
        self.finish(&quote!(size > own), &sentence)
    }

    fn no_padding(mut self) -> Check {
        let mut sentence = self.bind_subject();
        let fields = self.facts.fields(self.subject);
        self.bindings.extend(quote!(let fields = #fields;));
        sentence.unit(", ", &quote!(size.abs_diff(fields)));
        sentence.part(" over the ", &quote!(fields));
        sentence.end(" that its fields have: it has padding");
        self.finish(&quote!(size != fields), &sentence)
    }

    /// With fewer than two variants, or none that has fields, the gap is 0.
    fn max_gap(mut self) -> Check {
        let ranking = self.rank_variants();
        self.bindings.extend(ranking);
        let with_fields = self.facts.variant_names().len();
        let gap = match (self.facts.variant_count(), with_fields) {
            (0 | 1, _) | (_, 0) => quote!(0),
            (_, 1) => quote!(variants[0].1),
            _ => quote!(variants[0].1 - variants[1].1),
        };
        self.bind_size(&gap);
        let whose = format!("largest variant of `{}` is ", self.subject.text);
        let mut sentence = Sentence::begin(&whose, &quote!(size));
        sentence.unit(" over the second, ", &quote!(size.abs_diff(limit_0)));
        sentence.part(" over its limit of ", &quote!(limit_0));
        sentence.end_with_variants(self.facts.variant_names());
        self.finish(&quote!(size > limit_0), &sentence)
    }

    /// Binds `variants`, the largest first, where any has fields.
    fn rank_variants(&mut self) -> TokenStream {
        let Some(table) = self.facts.variants(self.subject) else {
            return TokenStream::new();
        };
        if self.facts.variant_names().len() == 1 {
            return quote!(let variants = #table;);
        }
        self.ranks_variants = true;
        quote! {
            let mut variants = #table;
            __weigh_rank(&mut variants);
        }
    }

    /// Ends the sentence of a whole enum with its largest variants.
    fn finish_with_variants(mut self, fails: &TokenStream, mut sentence: Sentence) -> Check {
        if self.assertion.variant.is_none() {
            self.ranking = self.rank_variants();
            sentence.end_with_variants(self.facts.variant_names());
        }
        self.finish(fails, &sentence)
    }

    fn finish(self, fails: &TokenStream, sentence: &Sentence) -> Check {
        let bindings = self.bindings;
        let ranking = self.ranking;
        let complaint = sentence.say(self.assertion.blame);
        let tokens = quote! {
            const _: () = {
                #bindings
                if #fails {
                    #ranking
                    #complaint
                }
            };
        };
        Check {
            tokens,
            length: sentence.length(),
            ranks_variants: self.ranks_variants,
        }
    }
}

fn limit_name(index: usize) -> Ident {
    format_ident!("limit_{index}")
}
