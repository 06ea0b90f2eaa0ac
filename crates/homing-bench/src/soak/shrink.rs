//! Makes a program smaller that shows a difference.
//!
//! Delta debugging (Zeller, Hildebrandt 2002) by lines: runs of lines are left
//! out, long ones first; then blocks lose their first and last line; then parts of
//! lines between separators are left out. What stays must show the same kind of
//! difference; where SPIN takes part, a program that it refuses shows none.

/// Makes `text` smaller as long as `still` says of the smaller one that it shows
/// the same. Asks at most `most` times.
pub fn shrink(text: &str, most: usize, still: &mut dyn FnMut(&str) -> bool) -> String {
    let mut shrinker = Shrinker { asked: 0, most, still };
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    loop {
        let before = lines.clone();
        shrinker.leave_out(&mut lines);
        shrinker.unwrap_blocks(&mut lines);
        shrinker.shorten_lines(&mut lines);
        if lines == before || shrinker.asked >= most {
            return joined(&lines);
        }
    }
}

fn joined(lines: &[String]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

struct Shrinker<'a> {
    asked: usize,
    most: usize,
    still: &'a mut dyn FnMut(&str) -> bool,
}

impl Shrinker<'_> {
    /// Takes `smaller` if it still shows the difference.
    fn take(&mut self, lines: &mut Vec<String>, smaller: Vec<String>) -> bool {
        if self.asked >= self.most {
            return false;
        }
        self.asked += 1;
        let taken = (self.still)(&joined(&smaller));
        if taken {
            *lines = smaller;
        }
        taken
    }

    fn leave_out(&mut self, lines: &mut Vec<String>) {
        let mut length = lines.len().div_ceil(2);
        while length > 0 {
            let mut start = 0;
            while start < lines.len() {
                let end = (start + length).min(lines.len());
                let rest = lines[..start].iter().chain(&lines[end..]).cloned().collect();
                if !balanced(&lines[start..end]) || !self.take(lines, rest) {
                    start += 1;
                }
            }
            length /= 2;
        }
    }

    /// A line that opens and the line that closes it go, what is between stays.
    fn unwrap_blocks(&mut self, lines: &mut Vec<String>) {
        let mut start = 0;
        while start < lines.len() {
            if let Some(end) = closing(lines, start) {
                let mut rest = lines.clone();
                rest.remove(end);
                rest.remove(start);
                if self.take(lines, rest) {
                    continue;
                }
            }
            start += 1;
        }
    }

    fn shorten_lines(&mut self, lines: &mut Vec<String>) {
        for number in 0..lines.len() {
            let mut part = 0;
            while let Some(shorter) = without_part(&lines[number], part) {
                let mut rest = lines.clone();
                rest[number] = shorter;
                if !self.take(lines, rest) {
                    part += 1;
                }
            }
        }
    }
}

/// How much deeper the lines lead into blocks.
fn depth(line: &str) -> i32 {
    let braces = line.chars().map(|letter| match letter {
        '{' => 1,
        '}' => -1,
        _ => 0,
    });
    let word = match line.trim() {
        "if" | "do" => 1,
        "fi;" | "od;" | "fi" | "od" => -1,
        _ => 0,
    };
    braces.sum::<i32>() + word
}

/// Whether lines can go without leaving half a block.
fn balanced(lines: &[String]) -> bool {
    let mut at = 0;
    lines.iter().all(|line| {
        at += depth(line);
        at >= 0
    }) && at == 0
}

/// The line that closes what the line at `start` opens.
fn closing(lines: &[String], start: usize) -> Option<usize> {
    let mut at = depth(&lines[start]);
    if at != 1 {
        return None;
    }
    (start + 1..lines.len()).find(|line| {
        at += depth(&lines[*line]);
        at == 0
    })
}

/// The line without its part of this number; parts end with `; `, `, `, `::`, `&&`,
/// `||`.
fn without_part(line: &str, part: usize) -> Option<String> {
    let separators = ["; ", ", ", " :: ", " && ", " || "];
    let mut cuts = vec![0];
    for separator in separators {
        cuts.extend(line.match_indices(separator).map(|(at, text)| at + text.len()));
    }
    cuts.sort_unstable();
    cuts.push(line.len());
    let (start, end) = (*cuts.get(part)?, *cuts.get(part + 1)?);
    (cuts.len() > 2 && start < end).then(|| format!("{}{}", &line[..start], &line[end..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_matter_goes() {
        let text = "byte x;\nbyte y;\nproc {\n  if\n  :: a ->\n    bug; c\n  fi;\n  d;\n}\n";
        let mut asked = 0;
        let smaller = shrink(text, 1000, &mut |text| {
            asked += 1;
            text.contains("proc") && text.contains("bug") && text.matches('{').count() == 1
        });
        assert_eq!(smaller, "proc {\n    bug; \n}\n");
        assert!(asked < 200);
    }

    #[test]
    fn it_stops_asking() {
        let mut asked = 0;
        shrink("a\nb\nc\nd\n", 3, &mut |_| {
            asked += 1;
            false
        });
        assert_eq!(asked, 3);
    }
}
