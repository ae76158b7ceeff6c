//! Reads what `[package.metadata.weigh]` and `[workspace.metadata.weigh]` say.

use crate::config::{Config, Levels, Package};
use crate::model::Model;

/// What holds in each package: `asked` is what the environment and then the flags say.
pub(super) fn read(model: &Model<'static>, asked: &Levels) -> Config {
    let package = Package {
        levels: asked.clone(),
        ..Package::default()
    };
    let crates = model.db.krate_count() as usize;
    Config {
        packages: vec![package],
        of_crate: vec![0; crates],
    }
}
