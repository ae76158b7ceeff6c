//! A compilation target: its triple, its data layout and its `cfg` atoms.

use crate::name::Name;
use rustc_hash::FxHashSet;
use std::borrow::Cow;

/// A `cfg` atom: a flag (`unix`), or a name with one of its values (`target_os = "linux"`).
pub type Fact = (Name, Option<Name>);

/// The compilation target.
#[derive(Clone, Debug)]
pub struct Target {
    /// The triple, or the file name without `.json` of a custom target.
    pub triple: String,
    /// Sizes and alignments of the machine.
    pub layout: DataLayout,
    /// The `cfg` atoms that hold in every crate built for it: rustc's own and the user's `--cfg`
    /// flags. Neither `test` nor `debug_assertions`, which depend on the crate.
    pub facts: FxHashSet<Fact>,
    /// The minor version of the Rust release, 1.x, whose layouts are computed: for
    /// `cfg(version("…"))`.
    pub minor: u32,
}

impl Target {
    /// Returns whether `name`, or `name = "value"`, holds in every crate built for this target.
    pub fn has(&self, name: Name, value: Option<Name>) -> bool {
        match value {
            Some(version) if name == "version" => self.is_since(version.as_str()),
            _ => self.facts.contains(&(name, value)),
        }
    }

    /// Returns whether the compiler is of this release or a later one; false if `version` is not a
    /// release.
    fn is_since(&self, version: &str) -> bool {
        let mut parts = version.split('.').map(|part| part.parse::<u32>().ok());
        let (major, minor) = (parts.next().flatten(), parts.next().unwrap_or(Some(0)));
        let asked = major.zip(minor);
        asked.is_some_and(|asked| asked <= (1, self.minor))
    }
}

/// Sizes and alignments from rustc's target description.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataLayout {
    /// LLVM's data layout string.
    pub llvm: Cow<'static, str>,
    /// Width of a pointer, in bits.
    pub pointer_bits: u16,
    /// Width of the smallest `repr(C)` enum, in bits.
    pub c_enum_min_bits: u16,
}

impl DataLayout {
    /// Returns the layout of a triple of tier 1 or 2; `None` for any other, for which rustc must be
    /// run.
    pub fn of_triple(triple: &str) -> Option<DataLayout> {
        let row = TABLE.iter().find(|row| row.3.contains(&triple))?;
        Some(DataLayout {
            llvm: Cow::Borrowed(row.0),
            pointer_bits: row.1,
            c_enum_min_bits: row.2,
        })
    }

    /// Reads a target description, as printed by `rustc --print target-spec-json`; `None` if a key
    /// is missing.
    pub fn of_description(spec: &serde_json::Value) -> Option<DataLayout> {
        // Older descriptions have numbers as strings.
        let number = |key: &str| match spec.get(key)? {
            serde_json::Value::String(text) => text.parse().ok(),
            value => value.as_u64()?.try_into().ok(),
        };
        Some(DataLayout {
            llvm: Cow::Owned(spec.get("data-layout")?.as_str()?.to_owned()),
            pointer_bits: number("target-pointer-width")?,
            c_enum_min_bits: number("c-enum-min-bits").unwrap_or(32),
        })
    }
}

/// Data layout, pointer width and minimum width of a C enum (bits), and the triples that share
/// them. Taken from `rustc --print all-target-specs-json`: tiers 1 and 2, which are the same for
/// Rust's types in every known release.
const TABLE: &[(&str, u16, u16, &[&str])] = &[
    (
        "e-m:o-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-n32:64-S128-Fn32",
        64,
        32,
        &[
            "aarch64-apple-darwin",
            "aarch64-apple-ios",
            "aarch64-apple-ios-macabi",
            "aarch64-apple-ios-sim",
            "aarch64-apple-tvos",
            "aarch64-apple-tvos-sim",
            "aarch64-apple-visionos",
            "aarch64-apple-visionos-sim",
            "aarch64-apple-watchos",
            "aarch64-apple-watchos-sim",
        ],
    ),
    (
        "e-m:e-p270:32:32-p271:32:32-p272:64:64-i8:8:32-i16:16:32-i64:64-i128:128-n32:64-S128-Fn32",
        64,
        32,
        &[
            "aarch64-linux-android",
            "aarch64-unknown-fuchsia",
            "aarch64-unknown-linux-gnu",
            "aarch64-unknown-linux-musl",
            "aarch64-unknown-linux-ohos",
            "aarch64-unknown-none",
            "aarch64-unknown-none-softfloat",
        ],
    ),
    (
        "e-m:w-p270:32:32-p271:32:32-p272:64:64-p:64:64-i32:32-i64:64-i128:128-n32:64-S128-Fn32",
        64,
        32,
        &[
            "aarch64-pc-windows-gnullvm",
            "aarch64-pc-windows-msvc",
            "aarch64-unknown-uefi",
            "arm64ec-pc-windows-msvc",
        ],
    ),
    (
        "e-m:e-p:32:32-Fi8-i64:64-v128:64:128-a:0:32-n32-S64",
        32,
        32,
        &[
            "arm-linux-androideabi",
            "arm-unknown-linux-gnueabi",
            "arm-unknown-linux-gnueabihf",
            "arm-unknown-linux-musleabi",
            "arm-unknown-linux-musleabihf",
            "armv5te-unknown-linux-gnueabi",
            "armv5te-unknown-linux-musleabi",
            "armv7-linux-androideabi",
            "armv7-unknown-linux-gnueabi",
            "armv7-unknown-linux-gnueabihf",
            "armv7-unknown-linux-musleabi",
            "armv7-unknown-linux-musleabihf",
            "armv7-unknown-linux-ohos",
            "thumbv7neon-linux-androideabi",
            "thumbv7neon-unknown-linux-gnueabihf",
        ],
    ),
    (
        "e-m:e-p:32:32-Fi8-i64:64-v128:64:128-a:0:32-n32-S64",
        32,
        8,
        &[
            "armv7a-none-eabi",
            "armv7a-none-eabihf",
            "armv7r-none-eabi",
            "armv7r-none-eabihf",
            "armv8r-none-eabihf",
            "thumbv6m-none-eabi",
            "thumbv7a-none-eabi",
            "thumbv7a-none-eabihf",
            "thumbv7em-none-eabi",
            "thumbv7em-none-eabihf",
            "thumbv7m-none-eabi",
            "thumbv7r-none-eabi",
            "thumbv7r-none-eabihf",
            "thumbv8m.base-none-eabi",
            "thumbv8m.main-none-eabi",
            "thumbv8m.main-none-eabihf",
            "thumbv8r-none-eabihf",
        ],
    ),
    (
        "e-m:e-p:32:32-p270:32:32-p271:32:32-p272:64:64-i128:128-f64:32:64-f80:32-n8:16:32-S128",
        32,
        32,
        &[
            "i586-unknown-linux-gnu",
            "i586-unknown-linux-musl",
            "i686-linux-android",
            "i686-unknown-freebsd",
            "i686-unknown-linux-gnu",
            "i686-unknown-linux-musl",
        ],
    ),
    (
        "e-m:x-p:32:32-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:32-n8:16:32-a:0:32-S32",
        32,
        32,
        &[
            "i686-pc-windows-gnu",
            "i686-pc-windows-gnullvm",
            "i686-unknown-uefi",
        ],
    ),
    (
        "e-m:x-p:32:32-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32-a:0:32-S32",
        32,
        32,
        &["i686-pc-windows-msvc"],
    ),
    (
        "e-m:e-p:64:64-i64:64-i128:128-n32:64-S128",
        64,
        32,
        &[
            "loongarch64-unknown-linux-gnu",
            "loongarch64-unknown-linux-musl",
            "loongarch64-unknown-none",
            "loongarch64-unknown-none-softfloat",
            "riscv64a23-unknown-linux-gnu",
            "riscv64gc-unknown-linux-gnu",
            "riscv64gc-unknown-linux-musl",
            "riscv64gc-unknown-none-elf",
            "riscv64imac-unknown-none-elf",
        ],
    ),
    (
        "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64",
        64,
        32,
        &["nvptx64-nvidia-cuda"],
    ),
    (
        "E-m:e-p:32:32-Fn32-i64:64-n32",
        32,
        32,
        &["powerpc-unknown-linux-gnu"],
    ),
    (
        "E-m:e-Fi64-i64:64-i128:128-n32:64-S128-v256:256:256-v512:512:512",
        64,
        32,
        &["powerpc64-unknown-linux-gnu"],
    ),
    (
        "E-m:e-Fn32-i64:64-i128:128-n32:64-S128-v256:256:256-v512:512:512",
        64,
        32,
        &["powerpc64-unknown-linux-musl"],
    ),
    (
        "e-m:e-Fn32-i64:64-i128:128-n32:64-S128-v256:256:256-v512:512:512",
        64,
        32,
        &[
            "powerpc64le-unknown-linux-gnu",
            "powerpc64le-unknown-linux-musl",
        ],
    ),
    (
        "e-m:e-p:32:32-i64:64-n32-S128",
        32,
        32,
        &[
            "riscv32i-unknown-none-elf",
            "riscv32im-unknown-none-elf",
            "riscv32imac-unknown-none-elf",
            "riscv32imafc-unknown-none-elf",
            "riscv32imc-unknown-none-elf",
        ],
    ),
    (
        "E-S64-m:e-i1:8:16-i8:8:16-i64:64-f128:64-v128:64-a:8:16-n32:64",
        64,
        32,
        &["s390x-unknown-linux-gnu", "s390x-unknown-none-softfloat"],
    ),
    (
        "E-m:e-i64:64-i128:128-n32:64-S128",
        64,
        32,
        &["sparc64-unknown-linux-gnu", "sparcv9-sun-solaris"],
    ),
    (
        "e-m:e-p:32:32-p10:8:8-p20:8:8-i64:64-i128:128-f128:64-n32:64-S128-ni:1:10:20",
        32,
        32,
        &["wasm32-unknown-emscripten"],
    ),
    (
        "e-m:e-p:32:32-p10:8:8-p20:8:8-i64:64-i128:128-n32:64-S128-ni:1:10:20",
        32,
        32,
        &[
            "wasm32-unknown-unknown",
            "wasm32-wasip1",
            "wasm32-wasip1-threads",
            "wasm32-wasip2",
            "wasm32v1-none",
        ],
    ),
    (
        "e-m:o-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128",
        64,
        32,
        &[
            "x86_64-apple-darwin",
            "x86_64-apple-ios",
            "x86_64-apple-ios-macabi",
        ],
    ),
    (
        "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128",
        64,
        32,
        &[
            "x86_64-fortanix-unknown-sgx",
            "x86_64-linux-android",
            "x86_64-pc-solaris",
            "x86_64-unknown-freebsd",
            "x86_64-unknown-fuchsia",
            "x86_64-unknown-illumos",
            "x86_64-unknown-linux-gnu",
            "x86_64-unknown-linux-gnuasan",
            "x86_64-unknown-linux-musl",
            "x86_64-unknown-linux-ohos",
            "x86_64-unknown-netbsd",
            "x86_64-unknown-none",
            "x86_64-unknown-redox",
        ],
    ),
    (
        "e-m:w-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128",
        64,
        32,
        &[
            "x86_64-pc-windows-gnu",
            "x86_64-pc-windows-gnullvm",
            "x86_64-pc-windows-msvc",
            "x86_64-unknown-uefi",
        ],
    ),
    (
        "e-m:e-p:32:32-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128",
        32,
        32,
        &["x86_64-unknown-linux-gnux32"],
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_triple_stands_once_and_agrees_with_its_layout() {
        let mut seen = FxHashSet::default();
        for &(llvm, bits, c_enum, triples) in TABLE {
            assert!(c_enum == 8 || c_enum == 32, "{llvm}");
            if bits == 32 {
                assert!(llvm.contains("-p:32:32"), "{llvm}");
            }
            for triple in triples {
                assert!(seen.insert(triple), "{triple} stands twice");
            }
        }
    }

    #[test]
    fn versions_are_those_of_the_compiler() {
        let target = Target {
            triple: String::new(),
            layout: DataLayout::of_triple("x86_64-unknown-linux-gnu").unwrap(),
            facts: FxHashSet::default(),
            minor: 95,
        };
        let since = |version: &str| target.has(Name::new("version"), Some(Name::new(version)));
        assert!(since("1.95") && since("1.9.3") && since("1") && since("0.99"));
        assert!(!since("1.96.0") && !since("2") && !since("") && !since("1.x"));
    }

    #[test]
    fn a_description_gives_what_the_table_gives() {
        let spec = serde_json::json!({
            "data-layout": "e-m:e-p:32:32-Fi8-i64:64-v128:64:128-a:0:32-n32-S64",
            "target-pointer-width": "32",
            "c-enum-min-bits": 8
        });
        assert_eq!(
            DataLayout::of_description(&spec),
            DataLayout::of_triple("thumbv7em-none-eabihf")
        );
        assert_eq!(DataLayout::of_triple("pdp11-unknown-none"), None);
    }
}
