//! How many values of a type there are at once: what multiplies it.
