// A lock taken in one step, so that both are never inside together.
// expect: states 9
// expect: assertion holds
// expect: deadlock holds
// expect: error holds
// expect: goal 'Client[0]@critical && inside == 1' violated, length 3
// expect: goal 'inside == 2' holds
bool held;
byte inside;

active [2] proctype Client() {
    do
    :: atomic { !held -> held = true };
       inside++;
       assert(inside == 1);
critical:
       inside--;
       held = false
    od
}
