//! The edges of a model in words.

use std::collections::BTreeMap;
use std::sync::Arc;

use homing_ir::Network;
use homing_ir::network::{EdgeRef, LocationId, Process, Target};

use crate::outcome::{Location, Move, one_line};

/// Describes edges, each once however often it is taken: a run may take the
/// same few edges a million times.
pub struct Moves<'a> {
    network: &'a Network,
    known: BTreeMap<EdgeRef, Arc<Move>>,
}

impl<'a> Moves<'a> {
    /// Describes edges of `network`.
    pub fn new(network: &'a Network) -> Moves<'a> {
        Moves { network, known: BTreeMap::new() }
    }

    /// The edge in words. The edge must be one of the network.
    pub fn get(&mut self, edge: EdgeRef) -> Arc<Move> {
        let network = self.network;
        self.known.entry(edge).or_insert_with(|| Arc::new(describe(network, edge))).clone()
    }
}

fn describe(network: &Network, reference: EdgeRef) -> Move {
    let process = &network.processes[reference.process.index()];
    let edge = network.edge(reference);
    let Location { file, line, column, mut text } = Location::new(&network.sources, edge.span);
    if edge.piece {
        text = one_line(&network.edge_written(reference.process, edge));
    }
    let to = match edge.branches[reference.branch as usize].target {
        Target::Location(location) => location_name(process, location),
        Target::End => "(end)".into(),
    };
    let from = location_name(process, edge.from);
    let statement = network.statements;
    Move { process: process.name.clone(), from, to, file, line, column, text, statement }
}

fn location_name(process: &Process, location: LocationId) -> String {
    process.locations[location.index()].name.clone()
}
