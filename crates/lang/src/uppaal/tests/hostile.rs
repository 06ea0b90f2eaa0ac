//! Texts written to break the reader: too deep, too long, cut short.

use super::{EVERYTHING, EVERYTHING_XML, Outcome, outcome, outcome_with};

fn first(found: &Outcome) -> String {
    found.errors().first().map_or(String::new(), |error| error.message.clone())
}

#[test]
fn deep_texts_are_refused() {
    let deep = 100_000;
    let check = |text: String| {
        assert_eq!(
            first(&outcome("deep.xta", &text)),
            "the text is nested too deeply",
            "{}",
            &text[..40]
        );
    };
    check(format!("int x = {}1{};", "(".repeat(deep), ")".repeat(deep)));
    check(format!("int x = {}1;", "-".repeat(deep).replace("--", "- -")));
    check(format!("int x = {}1{};", "a[".repeat(deep), "]".repeat(deep)));
    check(format!("int x = {}1{};", "f(".repeat(deep), ")".repeat(deep)));
    check(format!("int x = {}1;", "a ? b : ".repeat(deep)));
    check(format!("int x = {}1;", "a = ".repeat(deep)));
    check(format!("int x = {}1;", "a - ".repeat(deep)));
    check(format!("int x = a{};", ".b".repeat(deep)));
    check(format!("int x = a{};", "[0]".repeat(deep)));
    check(format!("int x = {}1;", "forall (i : T) ".repeat(deep)));
    check(format!("int x = {}1{};", "{".repeat(deep), "}".repeat(deep)));
    check(format!("{} x;", "struct { ".repeat(deep)));
    check(format!("void f() {}", "{".repeat(deep)));
    check(format!("void f() {{ {} ;", "if (a) ".repeat(deep)));
    check(format!("void f() {{ {} ;", "if (a) ; else ".repeat(deep)));
    check(format!("int x = {}1;", "a xor ".repeat(deep)));
}

/// Long is not deep.
#[test]
fn long_texts_are_read() {
    let long = 50_000;
    let check = |text: String| {
        let found = outcome("long.xta", &text);
        assert!(found.diagnostics.is_empty(), "{:?}", found.said());
    };
    check(format!("int x = {}1;", "1 + ".repeat(long)));
    check(format!("bool x = {}1;", "a && ".repeat(long)));
    check("int x;".repeat(long));
    check(format!("int x[2] = {{ {} 1 }};", "1, ".repeat(long)));
    check(format!("void f() {{ {} }}", "x = 1;".repeat(long)));
    let guard = "x < 3, ".repeat(long);
    check(format!("process P {{ state A; trans A -> A {{ guard {guard} x < 3; }}; }}"));
}

#[test]
fn deep_xml_is_no_danger() {
    let deep = 20_000;
    let text = format!("<nta>{}{}</nta>", "<a>".repeat(deep), "</a>".repeat(deep));
    outcome("deep.xml", &text);
    outcome("deep.xml", &"<nta>".repeat(deep));
    let text = format!("<nta><declaration>{}</declaration></nta>", "&lt;".repeat(deep));
    assert!(!outcome("deep.xml", &text).errors().is_empty());
    // Entities of entities: refused before they are written out.
    let mut bomb = String::from("<!DOCTYPE nta [<!ENTITY a0 'int x; int y; int z;'>");
    for level in 1..30 {
        let before = format!("&a{};", level - 1);
        bomb += &format!("<!ENTITY a{level} '{before}{before}{before}'>");
    }
    bomb += "]><nta><declaration>&a29;</declaration></nta>";
    assert!(!outcome("bomb.xml", &bomb).errors().is_empty());
}

/// An entity of the file's own is refused, not misread.
#[test]
fn own_entities_are_refused() {
    let text = "<!DOCTYPE nta [<!ENTITY own 'int x;'>]><nta><declaration>&own;</declaration></nta>";
    assert_eq!(first(&outcome("own.xml", text)), "the entity `&own;` is not known");
}

/// Wherever a text is cut, it is read without a panic, and what is wrong can
/// be shown.
#[test]
fn texts_cut_short_are_reported() {
    for (name, text) in [("cut.xta", EVERYTHING), ("cut.xml", EVERYTHING_XML)] {
        for (end, _) in text.char_indices() {
            let found = outcome(name, &text[..end]);
            found.said();
        }
    }
    let xml = EVERYTHING_XML;
    // Cut inside of elements, with the XML still whole.
    for (start, _) in xml.match_indices('>') {
        let Some(length) = xml[start + 1..].find('<') else { continue };
        for cut in 0..length {
            let end = start + 1 + cut;
            if xml.is_char_boundary(end) {
                let text = format!("{}{}", &xml[..end], &xml[start + 1 + length..]);
                outcome("cut.xml", &text).said();
            }
        }
    }
    let queries = "E<> a and (b or\\\n c[1]) /* x */\nsup{a}: b, c\np --> q\nPr[<=1](<> a)";
    for (end, _) in queries.char_indices() {
        outcome_with("none.xta", "", Some(("cut.q", &queries[..end]))).said();
    }
}

#[test]
fn too_many_errors_end_the_reading() {
    let found = outcome("many.xta", &"int 3;\n".repeat(100_000));
    assert_eq!(found.errors().len(), 101);
    let found = outcome("many.xml", &format!("<nta>{}</nta>", "<template/>".repeat(100_000)));
    assert_eq!(found.errors().len(), 101);
}
