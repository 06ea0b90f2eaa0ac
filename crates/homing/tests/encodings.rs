//! Comments and strings in any encoding.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};

use homing::LoadError;

fn file(name: &str, bytes: &[u8]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("encodings");
    fs::create_dir_all(&folder).expect("a folder can be made");
    let path = folder.join(name);
    fs::write(&path, bytes).expect("a file can be written");
    path
}

#[test]
fn latin_1_is_read_in_comments_and_strings() {
    let promela = b"/* Z\xfcrich */ active proctype P() { printf(\"\xe9t\xe9\\n\") }";
    homing::load(&file("latin.pml", promela)).expect("it is read");
    let dve = b"// Brn\xec\nprocess P { state a; init a; }\nsystem async;";
    homing::load(&file("latin.dve", dve)).expect("it is read");
}

#[test]
fn latin_1_is_read_in_included_files() {
    file("included.h", b"/* \xa9 1999 */ byte x;");
    let including = b"#include \"included.h\"\nactive proctype P() { x = 1 }";
    homing::load(&file("including.pml", including)).expect("it is read");
}

#[test]
fn a_mark_of_byte_order_is_no_text() {
    homing::load(&file("marked.pml", b"\xef\xbb\xbfinit { skip }")).expect("it is read");
}

/// A character is a column, whatever it takes in the file.
#[test]
fn columns_count_characters_of_any_encoding() {
    for (name, comment) in [("one.pml", &b"/* \xfc\xfc */"[..]), ("two.pml", "/* üü */".as_bytes())]
    {
        let text = [comment, b" init { nowhere = 1 }"].concat();
        let Err(LoadError::Diagnostics { sources, diagnostics }) = homing::load(&file(name, &text))
        else {
            panic!("`nowhere` is not declared");
        };
        let place = sources.position(diagnostics[0].span);
        assert_eq!((place.line, place.column), (1, 17), "{name}");
    }
}
