/* Nodes in a ring elect the one with the greatest number.
 *
 * Every node sends its number to the next. A node that hears a greater one
 * passes it on and has lost; a smaller one it drops; its own has been all the
 * way round, so it is the leader. The leader tells the others, and waits for
 * its news to come round too: then everybody knows.
 *
 * That never happens. Which line is missing?
 */
#ifndef N
#define N 3
#endif

mtype = { candidate, leader };

chan ring[N] = [2] of { mtype, byte };
byte elected;

proctype Node(byte place; byte number) {
    byte heard;

    ring[(place + 1) % N]!candidate(number);
    do
    :: ring[place]?candidate(heard) ->
        if
        :: heard > number -> ring[(place + 1) % N]!candidate(heard)
        :: heard < number -> skip
        :: else ->
            printf("%d is the leader\n", number);
            elected++;
            assert(elected == 1);
            ring[(place + 1) % N]!leader(number);
            ring[place]?leader(eval(number));
            break
        fi
    :: ring[place]?leader(heard) ->
        break
    od
}

init {
    byte i;

    atomic {
        do
        :: i < N -> run Node(i, (i * 2) % N + 1); i++
        :: else -> break
        od
    }
}
