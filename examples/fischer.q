// Never two at a time.
A[] forall (i : id_t) forall (j : id_t) P(i).critical && P(j).critical imply i == j

// Each can get in.
E<> P(1).critical

A[] not deadlock
