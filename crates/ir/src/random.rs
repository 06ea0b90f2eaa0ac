//! Random networks, for differential tests.
