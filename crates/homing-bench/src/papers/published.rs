//! The figures of the papers' tables, for the models that we can rebuild.
//!
//! A line a model: its name, the explored states of every configuration, their
//! seconds, their trace lengths; one length where it is the same for all.
//! Figures stand as they were printed: `*` is out of time, `**` out of memory,
//! `***` either of them on some instances, `–` either.

use anyhow::{Context, Result, bail};

/// A table of a paper, and how we make our own.
pub struct Experiment {
    /// Names it in the table of all runs.
    pub key: &'static str,
    /// The heading on the page.
    pub title: &'static str,
    /// How the paper and how we configure the search, by column.
    pub columns: &'static [Column],
    /// The models we run.
    pub models: &'static [&'static str],
    /// What the paper printed.
    published: &'static str,
    /// Whether the paper's trace lengths are 2L + 1 for L steps.
    pub doubled: bool,
}

/// A configuration of the search.
pub struct Column {
    /// As the paper calls it.
    pub name: &'static str,
    /// Our strategy.
    pub strategy: &'static str,
    /// How often it is run, each time with another seed.
    pub seeds: u64,
}

/// What the paper printed for one model and configuration.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Printed {
    /// Explored states.
    pub explored: Option<&'static str>,
    /// Seconds.
    pub seconds: Option<&'static str>,
    /// The length of the trace.
    pub length: Option<&'static str>,
}

impl Experiment {
    /// What the paper printed for this model, by column; nothing where it has
    /// no such row.
    pub fn printed(&self, model: &str) -> Result<Vec<Printed>> {
        let count = self.columns.len();
        let rows = self.published.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
        let Some(row) = rows.into_iter().find(|row| row.first() == Some(&model)) else {
            return Ok(vec![Printed::default(); count]);
        };
        let cells = &row[1..];
        if cells.len() != 3 * count && cells.len() != 2 * count + 1 {
            bail!("{}: {} figures for {model}", self.key, cells.len());
        }
        let printed = |i: usize| Printed {
            explored: Some(cells[i]),
            seconds: Some(cells[count + i]),
            length: cells.get(2 * count + i).or(cells.last()).copied(),
        };
        Ok((0..count).map(printed).collect())
    }
}

const fn column(name: &'static str, strategy: &'static str) -> Column {
    Column { name, strategy, seeds: 1 }
}

const DISTANCE_MODELS: &[&str] = &[
    "A2", "A3", "A4", "A5", "A6", "H3", "H4", "H5", "H6", "H7", "H8", "H9", "H10", "R5", "R6",
    "R7", "R8", "R9", "R10",
];

const TOWERS: &[&str] = &["H3", "H4", "H5", "H6", "H7", "H8", "H9", "H10"];

/// Tables 1 and 2 of the paper on distance-preserving abstraction.
pub const DISTANCE: &[Experiment] = &[
    Experiment {
        key: "distance-1",
        title: "Distance-preserving abstraction, Table 1: greedy best-first search",
        columns: &[
            Column { name: "rDF", strategy: "random-depth", seeds: 3 },
            column("FSM", "greedy(fsm-sum)"),
            column("N = 50", "greedy(abstraction(states=50))"),
            column("N = 100", "greedy(abstraction(states=100))"),
        ],
        models: DISTANCE_MODELS,
        published: "\
A2  85    54    53    46     0.01  0.01  0.06  0.10   46    45    37    25
A3  6878  420   174   187    0.05  0.05  0.24  0.56   323   183   79    43
A4  1994  1.3e5 1.5e5 10633  0.06  1.01  3.16  2.78   429   1003  509   157
A5  ***   9.9e5 7619  10673  1198  12.48 5.66  26.73  ***   5213  3869  1151
A6  *     **    4.3e5 5.2e5  **    **    62.30 196.9  *     **    2.0e5 55535
H4  3027  4996  1283  711    0.03  0.05  0.07  0.09   573   761   181   125
H5  52417 57600 6497  6368   0.24  0.24  0.13  0.18   5528  3705  381   405
H6  3.1e5 5.0e5 1.1e5 63403  1.39  1.92  0.65  0.53   31225 26605 1445  1317
H7  1.5e6 4.5e6 7.4e5 7.5e5  7.50  20.37 4.09  4.32   2.3e5 2.0e5 3377  3177
H8  2.9e7 1.6e7 8.6e6 4.5e6  336.2 132.3 60.61 29.34  1.8e6 1.5e6 12073 6705
R5  5840  4177  697   443    0.04  0.04  0.05  0.06   936   154   62    64
R6  71098 19903 395   363    0.32  0.11  0.07  0.10   858   97    43    41
R7  3.1e5 83582 6656  8199   1.42  0.32  0.12  0.17   1040  81    56    50
R8  1.5e6 2.7e5 2.2e5 1.2e5  9.13  1.01  1.32  0.87   1453  138   58    59
R9  ***   ***   2.9e5 4.9e5  336.3 80.43 2.05  3.64   ***   ***   77    80
R10 ***   ***   ***   2.6e5  496.3 71.83 38.87 2.20   ***   ***   ***   122",
        doubled: true,
    },
    Experiment {
        key: "distance-2",
        title: "Distance-preserving abstraction, Table 2: A*",
        columns: &[
            column("FSM", "astar(fsm-max)"),
            column("N = 50", "astar(abstraction(states=50))"),
            column("N = 100", "astar(abstraction(states=100))"),
        ],
        models: DISTANCE_MODELS,
        published: "\
A2  498    215    46     0.02   0.06  0.10  25
A3  81883  32106  20658  0.41   0.48  0.73  35
H4  6289   3876   3348   0.06   0.08  0.10  105
H5  67202  52348  48361  0.29   0.32  0.36  229
H6  627669 540286 516242 2.46   2.80  2.82  481
H7  5.8e6  5.4e6  5.3e6  27.08  32.29 31.48 989
R5  35784  4642   2392   0.15   0.06  0.08  27
R6  174589 6047   4295   0.69   0.07  0.12  22
R7  764727 14037  12083  3.30   0.16  0.20  27
R8  2.1e6  98420  60322  12.94  0.67  0.52  23
R9  **     93806  70578  125.95 0.71  0.69  25
R10 **     271935 279693 88.46  2.22  2.47  25",
        doubled: true,
    },
];

/// The towers of Hanoi in Tables 1 to 3 of the paper on interference contexts,
/// then what its Table 4 only sums up.
pub const CONTEXTS: &[Experiment] = &[
    Experiment {
        key: "contexts-1",
        title: "Interference contexts, Table 1: greedy search with d^U",
        columns: &[
            column("plain", "greedy(fsm-sum)"),
            column("CE", "greedy(fsm-sum, prefer=contexts)"),
            column("ICB_P", "greedy(fsm-sum, prefer=bounding)"),
            column("ICB_I", "greedy(fsm-sum, prefer=bounding(over=contexts))"),
            column("UT", "greedy(fsm-sum, prefer=useless)"),
        ],
        models: TOWERS,
        published: "\
H3 222    279    1000   479    244    0.0  0.0  0.0  0.0  0.1    44    32   52   82   60
H4 2276   2133   11726  7631   545    0.0  0.1  0.0  0.1  0.5    184   132  116  190  92
H5 20858  5056   142359 116200 15435  0.1  0.2  0.3  0.4  13.9   708   238  266  422  400
H6 184707 122473 1.5e6  1.1e6  130213 0.6  0.8  4.1  3.2  128.8  2734  1670 522  918  1242
H7 1.6e6  876847 1.5e7  1.4e7  1.2e6  5.7  5.4  52.0 42.0 1267.7 11202 4456 1136 2100 3922
H8 1.4e7  2.3e6  –      –      –      53.8 17.1 –    –    –      45280 5666 –    –    –
H9 –      –      –      –      –      –    –    –    –    –      –     –    –    –    –",
        doubled: false,
    },
    Experiment {
        key: "contexts-2",
        title: "Interference contexts, Table 2: greedy search with h^L",
        columns: &[
            column("plain", "greedy(relaxed-layers)"),
            column("CE", "greedy(relaxed-layers, prefer=contexts)"),
            column("ICB_P", "greedy(relaxed-layers, prefer=bounding)"),
            column("ICB_I", "greedy(relaxed-layers, prefer=bounding(over=contexts))"),
            column("UT", "greedy(relaxed-layers, prefer=useless)"),
        ],
        models: TOWERS,
        published: "\
H3 127    256    1017   164    190    0.0   0.0  0.0  0.0  0.0   48    48    48   86   62
H4 2302   764    11830  7488   620    0.0   0.1  0.0  0.1  0.0   300   94    124  438  114
H5 20186  15999  144668 121027 31553  0.2   0.4  0.5  0.6  1.2   1458  478   252  878  890
H6 230878 85947  1.5e6  1.5e6  281014 2.2   2.0  5.8  5.8  13.4  7284  1350  558  2070 2766
H7 2.0e6  622425 1.5e7  1.6e7  2.7e6  21.4  17.9 69.0 67.1 155.3 18500 14314 1086 5164 7176
H8 1.8e7  2.1e6  –      –      –      206.8 78.3 –    –    –     70334 74594 –    –    –
H9 –      –      –      –      –      –     –    –    –    –     –     –     –    –    –",
        doubled: false,
    },
    Experiment {
        key: "contexts-3",
        title: "Interference contexts, Table 3: breadth-first search",
        columns: &[
            column("plain", "breadth"),
            column("CE", "breadth(prefer=contexts)"),
            column("ICB_P", "breadth(prefer=bounding)"),
            column("ICB_I", "breadth(prefer=bounding(over=contexts))"),
        ],
        models: TOWERS,
        published: "\
H3 448    315    1062   954    0.0  0.0  0.0  0.0  22   22   30  24
H4 4040   2689   11702  7228   0.0  0.1  0.0  0.1  52   54   64  54
H5 42340  19158  146955 121807 0.1  0.2  0.3  0.4  114  116  148 148
H6 377394 161747 1.5e6  1.2e6  0.7  0.8  3.0  2.8  240  300  294 278
H7 3.4e6  1.2e6  1.5e7  1.3e7  7.2  5.3  36.8 33.7 494  520  634 636
H8 3.0e7  9.2e6  –      –      67.2 44.0 –    –    1004 1302 –   –
H9 –      –      –      –      –    –    –    –    –    –    –   –",
        doubled: false,
    },
    Experiment {
        key: "contexts-h",
        title: "Greedy search with h^U (the paper prints only its averages, in Table 4)",
        columns: &[
            column("plain", "greedy(relaxed-trace)"),
            column("CE", "greedy(relaxed-trace, prefer=contexts)"),
            column("ICB_P", "greedy(relaxed-trace, prefer=bounding)"),
            column("ICB_I", "greedy(relaxed-trace, prefer=bounding(over=contexts))"),
            column("UT", "greedy(relaxed-trace, prefer=useless)"),
        ],
        models: TOWERS,
        published: "",
        doubled: false,
    },
    Experiment {
        key: "contexts-d",
        title: "Greedy search with d^L (the paper prints only its averages, in Table 4)",
        columns: &[
            column("plain", "greedy(fsm-max)"),
            column("CE", "greedy(fsm-max, prefer=contexts)"),
            column("ICB_P", "greedy(fsm-max, prefer=bounding)"),
            column("ICB_I", "greedy(fsm-max, prefer=bounding(over=contexts))"),
            column("UT", "greedy(fsm-max, prefer=useless)"),
        ],
        models: TOWERS,
        published: "",
        doubled: false,
    },
    Experiment {
        key: "contexts-dfs",
        title: "Depth-first search (the paper prints only its averages, in Table 4)",
        columns: &[
            column("plain", "depth"),
            column("CE", "depth(prefer=contexts)"),
            column("ICB_P", "depth(prefer=bounding)"),
            column("ICB_I", "depth(prefer=bounding(over=contexts))"),
        ],
        models: TOWERS,
        published: "",
        doubled: false,
    },
];

/// One line of Table 4 of the paper on interference contexts, averaged over
/// the instances of five families that all configurations of the group solved.
pub struct Average {
    /// The search, as the paper calls it.
    pub group: &'static str,
    /// The experiment that has our figures.
    pub key: &'static str,
    /// The configuration.
    pub name: &'static str,
    /// The mean of the explored states, of the seconds, of the trace lengths.
    pub means: [&'static str; 3],
    /// Instances solved, of 27.
    pub solved: u64,
}

/// Our experiments by the paper's name for the group.
const GROUPS: [(&str, &str); 6] = [
    ("BFS", "contexts-3"),
    ("DFS", "contexts-dfs"),
    ("d^U", "contexts-1"),
    ("d^L", "contexts-d"),
    ("h^L", "contexts-2"),
    ("h^U", "contexts-h"),
];

const AVERAGES: &str = "\
BFS plain 1266489.9 53.0  78.3    21
BFS CE    140644.4  1.1   91.9    23
BFS ICB_P 4248527.1 102.3 95.7    20
BFS ICB_I 4133416.8 111.5 89.7    20
DFS plain 445704.1  3.6   37794.3 21
DFS CE    197295.0  1.1   2308.8  22
DFS ICB_P 3397688.6 34.8  148.7   21
DFS ICB_I 2371171.5 12.9  16477.9 21
d^U plain 469310.8  107.9 30415.8 20
d^U CE    245070.9  1.6   665.4   22
d^U ICB_P 3503904.9 63.8  155.0   21
d^U ICB_I 2380880.4 16.5  892.9   20
d^U UT    394999.4  87.6  4764.3  21
d^L plain 701962.7  14.9  16414.1 21
d^L CE    189144.3  1.3   1391.6  22
d^L ICB_P 2783118.2 72.7  100.6   21
d^L ICB_I 1918955.4 17.5  2642.1  19
d^L UT    344885.2  23.8  13664.1 20
h^L plain 143536.3  4.1   3327.0  25
h^L CE    41090.5   1.2   917.8   26
h^L ICB_P 2075198.1 72.5  150.5   21
h^L ICB_I 1052988.1 14.1  1981.0  21
h^L UT    164821.9  9.7   657.8   25
h^U plain 138325.2  3.1   419.6   26
h^U CE    22956.1   1.0   213.0   27
h^U ICB_P 1953710.5 73.7  147.7   21
h^U ICB_I 965865.2  12.7  302.1   21
h^U UT    106837.0  9.6   436.3   26";

/// Table 4, line by line.
pub fn averages() -> Result<Vec<Average>> {
    AVERAGES.lines().map(|line| average(line).context(line)).collect()
}

fn average(line: &'static str) -> Result<Average> {
    let cells: Vec<&'static str> = line.split_whitespace().collect();
    let [group, name, states, seconds, length, solved] = cells[..] else {
        bail!("a line of Table 4 has six cells");
    };
    let key = GROUPS.iter().find(|(known, _)| *known == group).map(|(_, key)| *key);
    Ok(Average {
        group,
        key: key.context("no such group")?,
        name,
        means: [states, seconds, length],
        solved: solved.parse()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_printed_row_is_read() {
        for experiment in DISTANCE.iter().chain(CONTEXTS) {
            for line in experiment.published.lines() {
                let model = line.split_whitespace().next().unwrap();
                assert!(experiment.models.contains(&model), "{model}");
                let printed = experiment.printed(model).unwrap();
                assert!(printed.iter().all(|one| one.length.is_some()), "{model}");
            }
            assert_eq!(experiment.printed("H10").unwrap()[0], Printed::default());
        }
    }

    #[test]
    fn cells_stand_where_the_paper_has_them() {
        let printed = DISTANCE[0].printed("A5").unwrap();
        assert_eq!(printed[0].explored, Some("***"));
        let last =
            Printed { explored: Some("10673"), seconds: Some("26.73"), length: Some("1151") };
        assert_eq!(printed[3], last);
        let shortest = DISTANCE[1].printed("H7").unwrap();
        assert!(shortest.iter().all(|one| one.length == Some("989")));
    }

    #[test]
    fn table_4_names_configurations_of_ours() {
        let averages = averages().unwrap();
        assert_eq!(averages.len(), 4 + 4 + 4 * 5);
        for line in averages {
            let experiment = CONTEXTS.iter().find(|one| one.key == line.key).unwrap();
            assert!(experiment.columns.iter().any(|column| column.name == line.name));
        }
    }
}
