// Couriers are started one after the other and hand a parcel on; the last has
// nobody to give it to. Numbers of processes are used again.
// expect: states 32
// expect: assertion holds
// expect: deadlock violated, length 16
// expect: goal 'carried == 3' violated, length 13
mtype = { parcel, receipt };
chan road = [1] of { mtype, byte };
chan door = [0] of { byte };
byte carried;

proctype Courier(byte number) {
    byte load;
    if
    :: number < 2 ->
        run Courier(number + 1);
        door?load
    :: else ->
        road?parcel, load
    fi;
    d_step { carried = carried + 1; load = load + 1 };
    door!load
}

init {
    road!parcel(3);
    run Courier(0);
    timeout -> road!receipt(carried)
}
