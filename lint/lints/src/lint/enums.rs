//! Which enums boxes make smaller, and which types are errors.

use super::{Context, Group};
use crate::config::{ERROR_SIZE, Level};
use crate::model::boxing::Oversized;
use crate::model::errors::{Asked, LargeErrors, Limits};
use crate::resolve::ItemId;
use rustc_hash::{FxHashMap, FxHashSet};

impl Context<'_> {
    /// Enums that boxes make smaller; computed on first use.
    pub fn oversized(&self) -> &FxHashMap<ItemId, Box<Oversized>> {
        self.answers.oversized.get_or_init(|| {
            let thresholds = |krate| self.config(krate).thresholds("oversized_variant");
            self.model
                .oversized(&thresholds, &self.populations().instances)
        })
    }

    /// The types that functions return as errors, and what these hold by value.
    pub fn errors(&self) -> &FxHashSet<ItemId> {
        self.answers
            .errors
            .get_or_init(|| self.model.errors(self.usage()))
    }

    /// The types that functions return as errors.
    pub fn returned_errors(&self) -> &FxHashSet<ItemId> {
        self.answers
            .returned
            .get_or_init(|| self.model.returned_errors(self.usage()))
    }

    /// The errors that `large_err` reports, and the enums inside that make them large.
    pub fn large_errors(&self) -> &LargeErrors {
        self.answers.large_errors.get_or_init(|| {
            let limits = |krate| {
                let package = self.config(krate);
                let thresholds = package.thresholds("large_err");
                Limits {
                    size: package.setting("large_err", &ERROR_SIZE),
                    same_as_enums: thresholds == package.thresholds("oversized_variant"),
                    thresholds,
                    spoken: package.level("large_err", Group::Layout.as_str(), Level::Warn)
                        > Level::Allow,
                    kept: package.avoid_breaking_exported_api,
                }
            };
            let asked = Asked {
                limits: &limits,
                may_be_uneven: &|info| {
                    self.clippy_allows(info.krate, &["large_enum_variant"], info.span)
                },
            };
            let (model, holders) = (self.model, self.holders());
            let mut large = model.large_errors(self.usage(), holders, self.oversized(), &asked);
            large.excuse(|function| {
                let data = model.db.item(function);
                let place = model.db.sources.origin(data.item.name_span).0;
                let krate = model.db.krate_of(data.module);
                self.clippy_allows(krate, &["result_large_err"], place)
            });
            large
        })
    }
}
