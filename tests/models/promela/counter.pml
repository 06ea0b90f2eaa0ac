// Two processes add to a counter by way of a copy each: an update is lost.
// expect: states 58
// expect: assertion violated, length 9
// expect: deadlock holds
// expect: error holds
byte counter;
byte done;

proctype Adder() {
    byte copy;
    copy = counter;
    counter = copy + 1;
    done++
}

init {
    atomic { run Adder(); run Adder() };
    (done == 2);
    assert(counter == 2)
}
