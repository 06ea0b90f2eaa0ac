//! Numbers of things in tables, each kind a type of its own.

/// Declares types of numbers.
macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident),*) => {$(
        $(#[$doc])*
        #[derive(
            Clone,
            Copy,
            PartialEq,
            Eq,
            PartialOrd,
            Ord,
            Hash,
            Debug,
            serde::Serialize,
            serde::Deserialize,
        )]
        pub struct $name(pub u32);

        impl $name {
            /// The position in its table.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}

pub(crate) use ids;
