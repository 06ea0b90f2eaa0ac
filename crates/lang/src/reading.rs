//! What the parsers of all languages share.

/// An error that was reported already.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reported;

/// What a parsing function returns.
pub type Parse<T> = Result<T, Reported>;

/// Whether a text can be read at all.
pub fn readable(text: &str) -> Result<(), String> {
    if u32::try_from(text.len()).is_err() {
        return Err(format!("the text is too long: {} bytes, at most {}", text.len(), u32::MAX));
    }
    if text.contains('\0') {
        return Err("this is not a text: it contains zero bytes".to_string());
    }
    Ok(())
}

/// What fits into a message.
pub fn shortened(text: &str) -> String {
    match text.char_indices().nth(40) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_string(),
    }
}

/// The last part of a path, without its ending.
pub fn model_name(path: &str) -> String {
    let file = path.rsplit(['/', '\\']).next().unwrap_or(path);
    file.rsplit_once('.').map_or(file, |(name, _)| name).to_string()
}
