/* Two processes exclude each other, as H. Hyman proposed (Communications of
 * the ACM 9(1), 1966). Both can be inside: D. Knuth noticed it in the same
 * year.
 */
bool wants[2];
byte turn;
byte inside;

active [2] proctype Client() {
    byte other = 1 - _pid;

again:
    wants[_pid] = true;
    do
    :: turn == _pid -> break
    :: else ->
        !wants[other];
        turn = _pid
    od;

    inside++;
    assert(inside == 1);
    inside--;

    wants[_pid] = false;
    goto again
}
