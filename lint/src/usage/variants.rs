//! Where variants are built and matched.
