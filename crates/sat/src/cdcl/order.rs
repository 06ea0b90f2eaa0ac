//! In which order variables are decided: the most active first.
//!
//! Moskewicz, Madigan, Zhao, Zhang, Malik, "Chaff: engineering an efficient SAT solver" (DAC
//! 2001): variables of recent conflicts are bumped, and what was long ago counts less.

const DECAY: f64 = 0.95;
const MOST: f64 = 1e100;
const ABSENT: u32 = u32::MAX;

/// A heap of variables by activity.
pub(super) struct Order {
    heap: Vec<u32>,
    /// Of each variable, its place in the heap.
    places: Vec<u32>,
    activity: Vec<f64>,
    bump: f64,
}

impl Default for Order {
    fn default() -> Order {
        Order { heap: Vec::new(), places: Vec::new(), activity: Vec::new(), bump: 1.0 }
    }
}

impl Order {
    /// One variable more; it is not in the heap yet.
    pub(super) fn add(&mut self) {
        self.places.push(ABSENT);
        self.activity.push(0.0);
    }

    pub(super) fn clear(&mut self) {
        for variable in self.heap.drain(..) {
            self.places[variable as usize] = ABSENT;
        }
    }

    /// Puts a variable in, if it is not.
    pub(super) fn insert(&mut self, variable: usize) {
        if self.places[variable] == ABSENT {
            self.places[variable] = self.heap.len() as u32;
            self.heap.push(variable as u32);
            self.up(self.heap.len() - 1);
        }
    }

    /// Takes the most active variable out.
    pub(super) fn pop(&mut self) -> Option<usize> {
        let last = self.heap.pop()?;
        let Some(first) = self.heap.first().copied() else {
            self.places[last as usize] = ABSENT;
            return Some(last as usize);
        };
        self.places[first as usize] = ABSENT;
        self.put(0, last);
        self.down(0);
        Some(first as usize)
    }

    /// A conflict was about this variable.
    pub(super) fn bump(&mut self, variable: usize) {
        self.activity[variable] += self.bump;
        if self.activity[variable] > MOST {
            self.activity.iter_mut().for_each(|one| *one /= MOST);
            self.bump /= MOST;
        }
        let place = self.places[variable];
        if place != ABSENT {
            self.up(place as usize);
        }
    }

    /// What was bumped so far counts less from now on.
    pub(super) fn decay(&mut self) {
        self.bump /= DECAY;
    }

    fn put(&mut self, place: usize, variable: u32) {
        self.heap[place] = variable;
        self.places[variable as usize] = place as u32;
    }

    fn of(&self, place: usize) -> f64 {
        self.activity[self.heap[place] as usize]
    }

    fn up(&mut self, mut place: usize) {
        let variable = self.heap[place];
        let activity = self.activity[variable as usize];
        while place > 0 && self.of((place - 1) / 2) < activity {
            let above = (place - 1) / 2;
            self.put(place, self.heap[above]);
            place = above;
        }
        self.put(place, variable);
    }

    fn down(&mut self, mut place: usize) {
        let variable = self.heap[place];
        let activity = self.activity[variable as usize];
        loop {
            let left = 2 * place + 1;
            if left >= self.heap.len() {
                break;
            }
            let right = left + 1;
            let is_right = right < self.heap.len() && self.of(right) > self.of(left);
            let below = if is_right { right } else { left };
            if self.of(below) <= activity {
                break;
            }
            self.put(place, self.heap[below]);
            place = below;
        }
        self.put(place, variable);
    }
}
