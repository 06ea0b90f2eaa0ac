/* A lift between three floors. It goes up while somebody above has called it, and
 * only then down.
 *
 * Whoever waits on the ground floor may wait for ever: people on the other two floors
 * keep calling. No state shows that, only a run without an end does; and fairness
 * between lift and people does not help:
 *
 *   homing check lift.pml
 *   homing check lift.pml --property served --fairness weak
 */

bool called[3];
byte floor;

#define above ((floor == 0 && (called[1] || called[2])) || (floor == 1 && called[2]))
#define below ((floor == 2 && (called[0] || called[1])) || (floor == 1 && called[0]))

ltl served { [] (called[0] -> <> !called[0]) }

active proctype Lift() {
    do
    :: atomic { called[floor] -> called[floor] = false }
    :: atomic { !called[floor] && above -> floor++ }
    :: atomic { !called[floor] && !above && below -> floor-- }
    od
}

active proctype People() {
    do
    :: called[0] = true
    :: called[1] = true
    :: called[2] = true
    od
}
