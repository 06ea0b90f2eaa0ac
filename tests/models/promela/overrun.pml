// An index that runs past its array, and a loop that may be left before.
// expect: error violated, length 7
// expect: assertion holds
byte table[3];

active proctype Filler() {
    byte i;
    do
    :: table[i] = i; i++
    :: i > 1 -> break
    od unless { table[0] == 7 }
}
