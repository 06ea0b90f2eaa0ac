//! Table 5 of the paper on interference contexts: how often each open queue was used,
//! and how many context switches the errors take.
//!
//! Queue q_k of iterative context bounding holds the states reached with k switches,
//! so the last queue that was used is the number of switches.

use super::Results;
use super::page::{aligned, count};
use super::runs::{Cell, Run};

/// The groups of the table: the paper's names, and our experiments.
const GROUPS: [(&str, &str); 3] =
    [("h^L", "contexts-2"), ("d^U", "contexts-1"), ("BFS", "contexts-3")];

const FAMILIES: [char; 5] = ['F', 'S', 'M', 'N', 'H'];

/// How many queues of the contexts the paper tells.
const QUEUES: usize = 7;

/// Group and family; pushed/popped in q_0 … q_6 of CE and in q_0, q_1 of UT; the
/// switches of ICB_P and of ICB_I.
const PUBLISHED: &str = "\
h^L F 38/35         114/1         0/0      0/0      0/0    0/0    0/0     13/7          24/0            2     0
h^L S 169161/169144 742370/277922 87766/0  136105/0 0/0    0/0    0/0     1702/1268     2440/0          31.6  0
h^L M 5585/5584     5687/1801     8598/0   3455/0   0/0    0/0    0/0     12308/9693    9137/0          21    3
h^L N 6654/6652     6547/1941     9384/0   4124/0   0/0    0/0    0/0     69534/51716   4332/0          22.33 3
h^L H 377962/377935 294737/93051  230682/0 297175/0 345419 445245 612451  404205/404186 308105/204806   134.8 15.6
d^U F 38/35         114/1         0/0      0/0      0/0    0/0    0/0     14/9          24/0            2     0
d^U S 287161/287149 395163/379679 65564/520 273596/0 0/0   0/0    0/0     12746/12746   1042207/1030510 31.6  3
d^U M 9712/9708     7734/4902     11949/0  5043/0   0/0    0/0    0/0     23355/23354   115058/83849    21    4
d^U N 10006/10000   7943/4399     11920/0  6614/0   0/0    0/0    0/0     16204/16204   109769/80079    21.5  4.75
d^U H 379149/379100 289671/164472 222272/0 289380/0 323717 385445 498216  117141/117141 220791/143929   134.8 15.2
BFS F 56/43         114/1         0/0      0/0      0/0    0/0    0/0     n/a           n/a             2     0
BFS S 323745/323704 607706/229784 189050/1111 447035/0 0/0 0/0    0/0     n/a           n/a             31.6  0
BFS M 50251/50249   56932/47908   86116/0  30730/0  0/0    0/0    0/0     n/a           n/a             21    1.25
BFS N 55105/55103   55314/47546   92173/0  39908/0  0/0    0/0    0/0     n/a           n/a             20.67 1.67
BFS H 894952/894927 925034/874677 649694/0 843886/0 861079 980240 1476125 n/a           n/a             134.8 20.8";

/// The table, two lines a group and family: the paper's and ours.
pub fn table(all: &[Results]) -> String {
    let heads = [
        "", "", "", "CE q_0", "q_1", "q_2", "q_3", "q_4", "q_5", "q_6", "UT q_0", "q_1", "ICB_P",
        "ICB_I",
    ];
    let mut lines = Vec::new();
    for (group, key) in GROUPS {
        let Some(results) = all.iter().find(|results| results.experiment.key == key) else {
            continue;
        };
        for family in FAMILIES {
            let name = family.to_string();
            let mut printed = vec![group.to_string(), name.clone(), "paper".to_string()];
            let known = PUBLISHED.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
            let row = known.into_iter().find(|row| row[..2] == [group, &name]);
            printed.extend(row.iter().flat_map(|row| &row[2..]).map(ToString::to_string));
            lines.push(printed);
            let mut ours = vec![String::new(), String::new(), "ours".to_string()];
            ours.extend(measured(results, family));
            lines.push(ours);
        }
    }
    String::from(
        "States put into and taken out of each queue, and context switches: means over the \
         instances of a family that the configuration solved.\n\n",
    ) + &aligned(&heads, &lines)
}

/// Our cells of one line.
fn measured(results: &Results, family: char) -> Vec<String> {
    let ce = runs(results, family, "CE");
    let useless = runs(results, family, "UT");
    let used = |runs: &[Run], queue: usize| {
        let pushed = mean(runs, |run| run.queues.map(|queues| queues.pushed[queue]));
        let popped = mean(runs, |run| run.queues.map(|queues| queues.popped[queue]));
        match (pushed, popped) {
            (Some(pushed), Some(popped)) => format!("{}/{}", count(pushed), count(popped)),
            _ => "–".into(),
        }
    };
    let switches = |name: &str| {
        let last = mean(&runs(results, family, name), |run| run.queues.map(|queues| queues.last));
        last.map_or("–".into(), count)
    };
    let mut cells: Vec<String> = (0..QUEUES).map(|queue| used(&ce, queue)).collect();
    cells.extend((0..2).map(|queue| used(&useless, queue)));
    cells.extend(["ICB_P", "ICB_I"].map(switches));
    cells
}

/// The runs of a configuration that found the errors of a family.
fn runs(results: &Results, family: char, name: &str) -> Vec<Run> {
    let place = results.experiment.columns.iter().position(|column| column.name == name);
    let Some(place) = place else { return Vec::new() };
    let rows = results.rows.iter().filter(|(model, ..)| model.starts_with(family));
    let cells = rows.map(|(_, _, cells)| &cells[place]).filter(|cell| cell.solved());
    let runs = cells.filter_map(|cell| match cell {
        Cell::Made(runs) => Some(runs.clone()),
        Cell::LeftOut | Cell::Refused(_) => None,
    });
    runs.flatten().collect()
}

fn mean(runs: &[Run], of: impl Fn(&Run) -> Option<u64>) -> Option<f64> {
    let values: Vec<u64> = runs.iter().filter_map(of).collect();
    (!values.is_empty()).then(|| values.iter().sum::<u64>() as f64 / values.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_has_its_cells() {
        let lines: Vec<Vec<&str>> =
            PUBLISHED.lines().map(|line| line.split_whitespace().collect()).collect();
        assert_eq!(lines.len(), GROUPS.len() * FAMILIES.len());
        for line in lines {
            assert_eq!(line.len(), 2 + QUEUES + 2 + 2, "{line:?}");
        }
    }
}
