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
    /// What the paper counts as the length of a trace.
    pub lengths: Lengths,
    /// Whether its searches may take the time of the single ones.
    pub patient: bool,
}

/// How trace lengths are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lengths {
    /// Steps.
    Steps,
    /// As in the paper on distance-preserving abstraction: 2L + 1 for L steps of the
    /// families A, H, R, and L + 1 for those of M, N, C. The one is seen from A and H,
    /// the other from N and C, whose shortest errors the other paper has too.
    States,
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
    "R7", "R8", "R9", "R10", "M1", "M2", "M3", "M4", "N1", "N2", "N3", "N4", "C1", "C2", "C3",
    "C4", "C5", "C6", "C7", "C8", "C9",
];

/// The instances of the paper on interference contexts.
pub const INSTANCES: &[&str] = &[
    "F5", "F10", "F15", "S1", "S2", "S3", "S4", "S5", "S6", "S7", "S8", "S9", "M1", "M2", "M3",
    "M4", "N1", "N2", "N3", "N4", "H3", "H4", "H5", "H6", "H7", "H8", "H9",
];

/// The models of both papers; S stands for C.
const ALL_MODELS: &[&str] = &[
    "F5", "F10", "F15", "S1", "S2", "S3", "S4", "S5", "S6", "S7", "S8", "S9", "M1", "M2", "M3",
    "M4", "N1", "N2", "N3", "N4", "H3", "H4", "H5", "H6", "H7", "H8", "H9", "H10", "A2", "A3",
    "A4", "A5", "A6", "R5", "R6", "R7", "R8", "R9", "R10",
];

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
R10 ***   ***   ***   2.6e5  496.3 71.83 38.87 2.20   ***   ***   ***   122
M1  23894 31927 19063 12780 0.54  0.45  0.35  0.23  926   1349  129  74
M2  1.6e5 2.0e5 46545 46337 2.19  2.92  0.74  0.86  3717  7695  131  190
M3  68313 1.7e5 64522 42414 0.92  2.34  0.99  0.80  3589  5690  119  92
M4  2.0e5 5.8e5 1.7e5 1.3e5 2.71  7.34  2.49  1.86  14415 25819 146  105
N1  43655 42931 27275 1660  1.56  1.62  1.02  0.15  985   1803  187  194
N2  1.7e5 2.6e5 1.0e5 67168 5.61  9.43  3.55  2.16  4611  9279  218  138
N3  1.7e5 1.3e5 1.4e5 81804 5.85  4.96  4.99  2.69  3794  11656 178  130
N4  1.0e6 1.5e6 4.8e5 3.8e5 34.71 51.10 17.91 11.07 17851 41986 234  169
C1  25122 19263 871   810   0.24  0.24  0.30  0.49  1087  1442  188  191
C2  65275 68070 1600  2620  0.56  0.59  0.40  1.03  886   2032  203  206
C3  86439 97733 2481  2760  0.74  0.82  0.47  1.14  786   1663  204  198
C4  8.5e5 9.8e5 22223 25206 6.52  6.90  0.91  1.83  1680  5419  247  297
C5  8.3e6 8.8e6 1.6e5 1.6e5 66.41 66.85 2.90  3.97  1900  14163 322  350
C6  ***   **    1.7e6 1.2e6 1181  **    18.32 14.87 ***   **    480  404
C7  *     **    1.3e7 1.3e7 *     **    156.1 162.4 *     **    913  672
C8  *     **    1.4e7 1.2e7 *     **    163.0 155.3 *     **    1305 2210
C9  *     **    **    3.6e7 *     **    **    1046  *     **    **   1020",
        lengths: Lengths::States,
        patient: false,
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
R10 **     271935 279693 88.46  2.22  2.47  25
M1  50147  25103  23917  0.79   0.52   0.48   50
M2  223034 100513 94426  3.30   1.82   1.82   51
M3  231357 130747 129269 3.42   2.43   2.51   53
M4  971736 561599 516178 13.99  10.57  9.54   54
N1  99840  56550  52564  5.59   3.44   3.03   50
N2  446465 238369 218351 25.30  14.86  13.21  53
N3  473117 286506 257530 27.04  17.86  15.23  53
N4  2.0e6  1.2e6  1.1e6  117.43 74.83  70.88  56
C1  35768  13863  13455  0.37   0.42   0.62   55
C2  110593 38483  36888  0.99   0.76   1.37   55
C3  144199 44730  42366  1.27   0.91   1.54   55
C4  1.4e6  368813 354091 11.23  4.30   5.05   56
C5  1.3e7  2.8e6  2.7e6  116.28 29.60  29.97  57
C6  *      2.8e7  2.7e7  *      377.77 364.15 57",
        lengths: Lengths::States,
        patient: false,
    },
];

/// Tables 1 to 3 of the paper on interference contexts, then what its Table 4 only
/// sums up. The paper leaves out rows of S that nobody solved; here they are dashes.
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
        models: INSTANCES,
        published: "\
F5  9      21     112    8      9      0.0    0.0  0.0   0.0   0.0    6      6    6    6    6
F10 9      36     447    8      9      0.0    0.0  0.0   0.0   0.0    6      6    6    6    6
F15 9      51     1007   8      9      0.0    0.0  0.0   0.0   0.0    6      6    6    6    6
S1  11449  10854  44208  14587  9796   0.0    0.1  0.2   0.2   0.1    823    192  59   1022 842
S2  33859  31986  163020 93047  31807  0.1    0.3  0.8   0.5   0.5    1229   223  59   134  1105
S3  51526  43846  199234 80730  52107  0.2    0.3  1.1   0.5   0.8    1032   184  59   1584 1144
S4  465542 402048 3.0e6  1.8e6  504749 2.0    2.1  18.0  8.6   7.5    3132   1508 60   783  5364
S5  4.6e6  2.8e6  3.8e7  2.4e7  4.6e6  22.6   18.8 256.9 136.8 70.6   14034  886  65   1014 14000
S6  –      –      –      –      –      –      –    –     –     –      –      –    –    –    –
S7  –      –      –      –      –      –      –    –     –     –      –      –    –    –    –
S8  –      –      –      –      –      –      –    –     –     –      –      –    –    –    –
S9  –      –      –      –      –      –      –    –     –     –      –      –    –    –    –
M1  185416 5360   100300 56712  7557   156.4  0.1  2.5   1.1   0.1    106224 246  65   94   923
M2  56240  15593  608115 82318  294877 1.1    0.2  22.5  1.7   67.1   13952  520  63   3378 51541
M3  869159 15519  623655 281213 26308  1729.5 0.2  23.8  7.2   0.5    337857 562  82   3863 1280
M4  726691 21970  3.4e6  –      100073 428.0  0.4  221.3 –     1.8    290937 486  80   –    4436
N1  10215  5688   92416  68582  19698  0.3    0.1  5.6   3.3   0.7    2669   162  79   109  1855
N2  –      11939  645665 161800 96307  –      0.3  71.7  8.2   5.1    –      182  75   277  8986
N3  –      14496  616306 417181 29254  –      0.4  62.4  25.8  1.2    –      623  84   1586 784
N4  330753 25476  3.7e6  889438 239877 23.0   0.8  760.8 91.6  17.8   51642  949  89   361  1969
H3  222    279    1000   479    244    0.0    0.0  0.0   0.0   0.1    44     32   52   82   60
H4  2276   2133   11726  7631   545    0.0    0.1  0.0   0.1   0.5    184    132  116  190  92
H5  20858  5056   142359 116200 15435  0.1    0.2  0.3   0.4   13.9   708    238  266  422  400
H6  184707 122473 1.5e6  1.1e6  130213 0.6    0.8  4.1   3.2   128.8  2734   1670 522  918  1242
H7  1.6e6  876847 1.5e7  1.4e7  1.2e6  5.7    5.4  52.0  42.0  1267.7 11202  4456 1136 2100 3922
H8  1.4e7  2.3e6  –      –      –      53.8   17.1 –     –     –      45280  5666 –    –    –
H9  –      –      –      –      –      –      –    –     –     –      –      –    –    –    –",
        lengths: Lengths::Steps,
        patient: false,
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
        models: INSTANCES,
        published: "\
F5  179    21     112    216    7      0.0   0.0   0.0   0.0   0.0   12    6     6    12    6
F10 86378  36     447    95972  7      3.3   0.0   0.0   3.8   0.0   22    6     6    22    6
F15 –      51     1007   –      7      –     0.0   0.0   –     0.0   –     6     6    –     6
S1  1704   4903   24590  1971   1537   0.0   0.2   0.4   0.1   0.1   84    68    62   77    76
S2  3526   11594  81562  4646   1229   0.1   0.4   1.2   0.2   0.1   172   70    62   166   76
S3  4182   5508   89879  6118   1061   0.1   0.3   1.4   0.2   0.1   162   73    62   109   76
S4  29167  7728   1.2e6  108394 879    0.7   0.5   14.1  1.2   0.2   378   198   60   653   77
S5  215525 2715   1.4e7  870603 1116   5.2   0.4   142.7 7.4   0.3   1424  85    65   2815  78
S6  1.7e6  9812   –      1.3e7  1116   37.4  1.1   –     85.5  0.4   5041  130   –    8778  78
S7  1.6e7  15464  –      –      1114   332.5 2.0   –     –     0.6   15085 130   –    –     78
S8  7.1e6  2695   –      –      595    129.3 0.5   –     –     0.3   5435  81    –    –     76
S9  9.6e6  4.0e6  –      –      2771   201.1 192.9 –     –     1.3   5187  1818  –    –     94
M1  4581   1098   102739 3230   4256   0.1   0.0   3.1   0.1   0.2   457   89    66   433   97
M2  15832  1904   605001 53206  7497   0.3   0.0   27.8  1.2   0.5   1124  123   61   113   104
M3  7655   8257   622426 141247 10733  0.1   0.2   26.1  2.8   0.7   748   180   86   100   91
M4  71033  18282  3.3e6  525160 16287  1.6   0.7   239.8 14.5  1.7   3381  334   81   118   98
N1  50869  1512   93750  74307  5689   39.0  0.0   7.2   59.9  0.3   26053 93    79   26029 108
N2  30476  2604   634003 82158  22763  1.2   0.1   77.3  3.8   1.5   1679  127   75   97    259
N3  11576  10009  607137 177899 35468  0.4   0.4   77.1  9.6   2.7   799   224   86   106   204
N4  100336 20248  3.7e6  971927 142946 5.3   1.1   755.6 103.2 14.9  2455  396   85   134   792
H3  127    256    1017   164    190    0.0   0.0   0.0   0.0   0.0   48    48    48   86    62
H4  2302   764    11830  7488   620    0.0   0.1   0.0   0.1   0.0   300   94    124  438   114
H5  20186  15999  144668 121027 31553  0.2   0.4   0.5   0.6   1.2   1458  478   252  878   890
H6  230878 85947  1.5e6  1.5e6  281014 2.2   2.0   5.8   5.8   13.4  7284  1350  558  2070  2766
H7  2.0e6  622425 1.5e7  1.6e7  2.7e6  21.4  17.9  69.0  67.1  155.3 18500 14314 1086 5164  7176
H8  1.8e7  2.1e6  –      –      –      206.8 78.3  –     –     –     70334 74594 –    –     –
H9  –      –      –      –      –      –     –     –     –     –     –     –     –    –     –",
        lengths: Lengths::Steps,
        patient: false,
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
        models: INSTANCES,
        published: "\
F5  333    29     129    273    0.0   0.0  0.0   0.0   6    6    6   6
F10 5313   44     484    3868   0.0   0.0  0.0   0.0   6    6    6   6
F15 34068  59     1064   20538  0.4   0.0  0.0   0.3   6    6    6   6
S1  41517  19167  50361  58379  0.1   0.1  0.2   0.3   54   109  59  54
S2  118075 52433  181941 217712 0.4   0.3  0.8   0.9   54   109  59  54
S3  149478 33297  230173 264951 0.5   0.2  1.1   1.1   54   71   59  54
S4  1.3e6  146094 3.5e6  3.7e6  5.4   0.7  18.7  16.2  55   67   60  55
S5  1.1e7  569003 4.6e7  4.4e7  49.8  3.2  258.5 227.3 56   73   56  56
S6  –      2.5e6  –      –      –     16.2 –     –     –    74   –   –
S7  –      –      –      –      –     –    –     –     –    –    –   –
S8  –      –      –      –      –     –    –     –     –    –    –   –
S9  –      –      –      –      –     –    –     –     –    –    –   –
M1  192773 32593  273074 116682 4.6   0.4  7.4   1.5   47   51   50  50
M2  680288 75159  1.7e6  1.6e6  19.1  1.1  95.2  56.6  50   52   53  50
M3  740278 94992  1.7e6  1.7e6  22.0  1.6  80.9  76.9  50   54   63  50
M4  2.6e6  189888 9.7e6  8.0e6  87.6  3.5  893.7 506.7 53   55   66  53
N1  361564 34787  310157 157610 20.0  0.7  15.6  4.3   49   56   58  55
N2  2.2e6  81859  2.4e6  3.9e6  399.0 1.8  357.6 622.2 52   57   72  52
N3  2.4e6  92729  2.3e6  4.2e6  442.8 2.5  275.8 677.9 52   54   71  52
N4  –      201226 –      –      –     5.9  –     –     –    57   –   –
H3  448    315    1062   954    0.0   0.0  0.0   0.0   22   22   30  24
H4  4040   2689   11702  7228   0.0   0.1  0.0   0.1   52   54   64  54
H5  42340  19158  146955 121807 0.1   0.2  0.3   0.4   114  116  148 148
H6  377394 161747 1.5e6  1.2e6  0.7   0.8  3.0   2.8   240  300  294 278
H7  3.4e6  1.2e6  1.5e7  1.3e7  7.2   5.3  36.8  33.7  494  520  634 636
H8  3.0e7  9.2e6  –      –      67.2  44.0 –     –     1004 1302 –   –
H9  –      –      –      –      –     –    –     –     –    –    –   –",
        lengths: Lengths::Steps,
        patient: false,
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
        models: INSTANCES,
        published: "",
        lengths: Lengths::Steps,
        patient: false,
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
        models: INSTANCES,
        published: "",
        lengths: Lengths::Steps,
        patient: false,
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
        models: INSTANCES,
        published: "",
        lengths: Lengths::Steps,
        patient: false,
    },
];

/// What the default does on every model.
pub const AUTO: Experiment = Experiment {
    key: "auto",
    title: "All models with the default",
    columns: &[column("auto", "auto(improve=0)")],
    models: ALL_MODELS,
    published: "",
    lengths: Lengths::Steps,
    patient: true,
};

/// One line of Table 4 of the paper on interference contexts, averaged over
/// the instances of five families that all configurations of the group solved.
pub struct Average {
    /// The search, as the paper calls it.
    pub group: &'static str,
    /// The experiment that has our figures.
    pub key: &'static str,
    /// The configuration.
    pub name: &'static str,
    /// The mean and the median of the explored states, of the seconds, of the trace
    /// lengths.
    pub averages: [[&'static str; 2]; 3],
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
BFS plain 1266489.9 277168.5 53.0  2.7 78.3    52.0   21
BFS CE    140644.4  43610.0  1.1   0.6 91.9    55.5   23
BFS ICB_P 4248527.1 291615.5 102.3 5.2 95.7    59.0   20
BFS ICB_I 4133416.8 241331.5 111.5 2.2 89.7    53.5   20
DFS plain 445704.1  63712.5  3.6   0.5 37794.3 9624.5 21
DFS CE    197295.0  15688.0  1.1   0.2 2308.8  795.5  22
DFS ICB_P 3397688.6 409480.0 34.8  2.4 148.7   71.0   21
DFS ICB_I 2371171.5 155694.0 12.9  1.5 16477.9 1819.5 21
d^U plain 469310.8  42692.5  107.9 0.3 30415.8 1949.0 20
d^U CE    245070.9  13186.5  1.6   0.2 665.4   230.5  22
d^U ICB_P 3503904.9 152689.5 63.8  1.8 155.0   64.0   21
d^U ICB_I 2380880.4 81524.0  16.5  0.8 892.9   391.5  20
d^U UT    394999.4  23003.0  87.6  0.6 4764.3  1124.5 21
d^L plain 701962.7  54742.0  14.9  0.5 16414.1 7725.0 21
d^L CE    189144.3  12181.0  1.3   0.2 1391.6  562.0  22
d^L ICB_P 2783118.2 199548.0 72.7  3.7 100.6   67.0   21
d^L ICB_I 1918955.4 105246.0 17.5  0.9 2642.1  798.0  19
d^L UT    344885.2  46509.0  23.8  1.4 13664.1 2521.0 20
h^L plain 143536.3  18009.0  4.1   0.4 3327.0  773.5  25
h^L CE    41090.5   5205.5   1.2   0.3 917.8   108.5  26
h^L ICB_P 2075198.1 374834.5 72.5  6.5 150.5   70.5   21
h^L ICB_I 1052988.1 89065.0  14.1  2.0 1981.0  126.0  21
h^L UT    164821.9  4972.5   9.7   0.3 657.8   97.5   25
h^U plain 138325.2  12938.0  3.1   0.3 419.6   112.0  26
h^U CE    22956.1   6523.0   1.0   0.3 213.0   92.0   27
h^U ICB_P 1953710.5 145351.0 73.7  7.3 147.7   66.0   21
h^U ICB_I 965865.2  72437.0  12.7  1.6 302.1   116.0  21
h^U UT    106837.0  2537.0   9.6   0.2 436.3   80.0   26";

/// Table 4, line by line.
pub fn averages() -> Result<Vec<Average>> {
    AVERAGES.lines().map(|line| average(line).context(line)).collect()
}

fn average(line: &'static str) -> Result<Average> {
    let cells: Vec<&'static str> = line.split_whitespace().collect();
    let [
        group,
        name,
        states,
        states_median,
        seconds,
        seconds_median,
        length,
        length_median,
        solved,
    ] = cells[..]
    else {
        bail!("a line of Table 4 has nine cells");
    };
    let key = GROUPS.iter().find(|(known, _)| *known == group).map(|(_, key)| *key);
    Ok(Average {
        group,
        key: key.context("no such group")?,
        name,
        averages: [[states, states_median], [seconds, seconds_median], [length, length_median]],
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
