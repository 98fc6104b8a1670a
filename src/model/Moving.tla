-------------------------------- MODULE Moving --------------------------------
(* A deletion stays one while a key moves: purges, hints, comparisons and copies across a change of its replicas.

   The replicas are A = n1, n2, n3 or B = n1, n2, n4. Layout 1 is A, 2 is joint from A to B, 3 is B, 4 is joint back to A,
   and 5 is A; a run covers the layouts First to Last. There is a PUT (version 1) that has ended, but for its hints, and a
   DELETE (version 2); 0 is "nothing held". Quorums are 2 of 3, in a joint layout of both sides. At first everything is
   younger than the grace period, then everything is older. A read with its repair is one step, and so is a comparison of
   two nodes: Tombstone.tla takes purges and their marks apart, Layout.tla requests. There are no lost disks here, no
   change is given up, and there is one key.                                                                          *)
EXTENDS Naturals, FiniteSets, TLC

CONSTANTS
  n1, n2, n3, n4,
  First, Last,
  PurgeAsks,     \* replicas that must have agreed to a purge: "members" of both sides, or the "old" ones
  CopyWhen,      \* a gainer copies from a replica when that "source" has adopted the layout, when "all" have, at "any" time
  GainerHints,   \* TRUE: a gainer takes hints before it has copied everything
  CarryHorizon,  \* TRUE: a gainer takes over the purge horizons of those it copies from
  Floors,        \* TRUE: what a gainer held of the key before it gained it is as if it were not there
  VoidMarks,     \* TRUE: marks with a node are void when it is no replica any more, or gains the key
  Fence,         \* TRUE: late repairs, comparisons and deletes of an older layout are refused
  OwnOnly,       \* TRUE: a node that is no replica in the layout it has adopted refuses what a later one sends it
  Start,         \* "put": only the PUT has been; "tenure": n3 has left, with marks of it at n1 and n4 if they are not void
  MaxReads       \* reads that repair

VARIABLES
  ver, decided,  \* layout adopted by each node, latest layout there is
  e,             \* what each node holds
  dplan, acks,   \* the DELETE: its layout (0: not begun), confirmed by
  known,         \* a read has returned it
  hints,         \* nodes that a hint with V is kept for
  late,          \* <<layout, node>>: V under way as late repair of a read
  old,           \* the grace period has passed
  pairs,         \* <<n, m>>: n has compared with m while it held T, and m holds it, too
  gained,        \* <<n, o>>: gainer n has copied from o
  horizon,       \* nodes whose purge horizon is above both
  reads
vars == <<ver, decided, e, dplan, acks, known, hints, late, old, pairs, gained, horizon, reads>>

Nodes == {n1, n2, n3, n4}
A == {n1, n2, n3}
B == {n1, n2, n4}
OldOf(v) == IF v \in {1, 2, 5} THEN A ELSE B
NewOf(v) == IF v \in {1, 4, 5} THEN A ELSE B
Members(v) == OldOf(v) \cup NewOf(v)
Joint(v) == OldOf(v) # NewOf(v)
Quorum(S, v) == Cardinality(S \cap OldOf(v)) >= 2 /\ Cardinality(S \cap NewOf(v)) >= 2
Gains(n, v) == n \in NewOf(v) \ OldOf(v)
Gaining(n) == Gains(n, ver[n]) /\ \E o \in OldOf(ver[n]) : <<n, o>> \notin gained
In(n) == n \in Members(ver[n])
Coordinated(v) == \E n \in Members(v) : ver[n] = v
Takes(n, v) == (~Fence \/ ver[n] <= v) /\ (~OwnOnly \/ In(n))

Max(S) == CHOOSE x \in S : \A y \in S : y <= x
Up(a, b) == IF a > b THEN a ELSE b

Asked(n) == (IF PurgeAsks = "old" THEN OldOf(ver[n]) ELSE Members(ver[n])) \ {n}
Purgeable(n) == old /\ In(n) /\ ~Gaining(n) /\ \A m \in Asked(n) : <<n, m>> \in pairs
Held(n) == IF e[n] = 2 /\ Purgeable(n) THEN 0 ELSE e[n]

Init ==
  /\ ver = [n \in Nodes |-> First] /\ decided = First /\ known = FALSE
  /\ late = {} /\ old = FALSE /\ gained = {} /\ horizon = {} /\ reads = 0
  /\ \/ /\ Start = "put"
        /\ e \in [Nodes -> {0, 1}] /\ (First = 1 => e[n4] = 0) /\ (\E n \in Nodes : e[n] = 1)
        /\ hints \in {{}} \cup {{n} : n \in {k \in Nodes : e[k] = 0}}
        /\ dplan = 0 /\ acks = {} /\ pairs = {}
     \/ /\ Start = "tenure"
        /\ e = [n \in Nodes |-> IF n \in {n1, n4} THEN 2 ELSE 1] /\ hints = {}
        /\ dplan = First /\ acks = {n1, n4}
        /\ pairs = IF VoidMarks THEN {} ELSE {<<n1, n3>>, <<n4, n3>>}

\* ---------------- layouts ----------------
Decide ==
  /\ decided < Last /\ Coordinated(decided)
  /\ Joint(decided) => /\ \A n \in Members(decided) : ver[n] >= decided
                       /\ \A n \in Members(decided) : ~Gaining(n)
  /\ decided' = decided + 1
  /\ UNCHANGED <<ver, e, dplan, acks, known, hints, late, old, pairs, gained, horizon, reads>>

Adopt(n, v) ==
  LET gains == \E x \in ver[n] + 1..v : Gains(n, x)
      gone(m) == m \notin Members(v) \/ \E x \in ver[n] + 1..v : Gains(m, x)
  IN
  /\ v > ver[n] /\ v <= decided
  /\ ver' = [ver EXCEPT ![n] = v]
  /\ e' = IF gains /\ Floors THEN [e EXCEPT ![n] = 0] ELSE e
  /\ gained' = IF gains THEN {g \in gained : g[1] # n} ELSE gained
  /\ pairs' = IF VoidMarks THEN {p \in pairs : p[1] # n \/ ~(gone(p[2]) \/ gains)} ELSE pairs
  /\ UNCHANGED <<decided, dplan, acks, known, hints, late, old, horizon, reads>>

Copy(n, o) ==
  /\ Gaining(n) /\ o \in OldOf(ver[n]) /\ <<n, o>> \notin gained
  /\ CASE CopyWhen = "all" -> \A m \in Members(ver[n]) : ver[m] >= ver[n]
       [] CopyWhen = "source" -> ver[o] >= ver[n] [] CopyWhen = "any" -> TRUE
  /\ e' = [e EXCEPT ![n] = Up(@, Held(o))]
  /\ horizon' = IF CarryHorizon /\ o \in horizon THEN horizon \cup {n} ELSE horizon
  /\ gained' = gained \cup {<<n, o>>}
  /\ UNCHANGED <<ver, decided, dplan, acks, known, hints, late, old, pairs, reads>>

\* ---------------- the DELETE, hints ----------------
\* Planned once; comparisons have to bring it to replicas that it has missed by its deadline.
Begin(v) ==
  /\ dplan = 0 /\ ~old /\ Coordinated(v)
  /\ dplan' = v
  /\ UNCHANGED <<ver, decided, e, acks, known, hints, late, old, pairs, gained, horizon, reads>>

Deliver(n) ==
  /\ dplan # 0 /\ ~old /\ n \in Members(dplan) \ acks /\ Takes(n, dplan)
  /\ acks' = acks \cup {n} /\ e' = [e EXCEPT ![n] = 2]
  /\ UNCHANGED <<ver, decided, dplan, known, hints, late, old, pairs, gained, horizon, reads>>

Hint(n) ==
  /\ n \in hints /\ In(n) /\ (Gaining(n) => GainerHints)
  /\ hints' = hints \ {n}
  /\ e' = IF n \in horizon THEN e ELSE [e EXCEPT ![n] = Up(@, 1)]
  /\ UNCHANGED <<ver, decided, dplan, acks, known, late, old, pairs, gained, horizon, reads>>

\* ---------------- time, purge, repair ----------------
GracePasses ==
  /\ ~old /\ late = {} /\ old' = TRUE
  /\ UNCHANGED <<ver, decided, e, dplan, acks, known, hints, late, pairs, gained, horizon, reads>>

Purge(n) ==
  /\ e[n] = 2 /\ Purgeable(n) /\ late = {}
  /\ e' = [e EXCEPT ![n] = 0] /\ horizon' = horizon \cup {n}
  /\ UNCHANGED <<ver, decided, dplan, acks, known, hints, late, old, pairs, gained, reads>>

Pair(n, m) ==
  LET top == Up(Held(n), Held(m)) IN
  /\ n # m /\ In(n) /\ In(m) /\ ~Gaining(n) /\ ~Gaining(m)
  /\ IF Fence THEN ver[n] = ver[m] ELSE n \in Members(ver[m]) /\ m \in Members(ver[n])
  /\ e' = [e EXCEPT ![n] = Up(@, top), ![m] = Up(@, top)]
  /\ pairs' = IF top = 2 THEN pairs \cup {<<n, m>>, <<m, n>>} ELSE pairs
  /\ UNCHANGED <<ver, decided, dplan, acks, known, hints, late, old, gained, horizon, reads>>

Reads(Q, v) == /\ Coordinated(v) /\ Q \subseteq Members(v) /\ Quorum(Q, v) /\ \A n \in Q : Takes(n, v)
               /\ \A k \in Q : ~Quorum(Q \ {k}, v)

Read(Q, v) ==
  LET fix == Max({Held(n) : n \in Q}) IN
  /\ reads < MaxReads /\ Reads(Q, v) /\ reads' = reads + 1
  /\ known' = (known \/ \E n \in Q : e[n] = 2)
  /\ e' = [n \in Nodes |-> IF n \in Q THEN Up(e[n], fix) ELSE e[n]]
  /\ late' = IF fix = 1 THEN late \cup {<<v, n>> : n \in Members(v) \ Q} ELSE late
  /\ UNCHANGED <<ver, decided, dplan, acks, hints, old, pairs, gained, horizon>>

Late(l) ==
  /\ l \in late /\ late' = late \ {l}
  /\ \/ UNCHANGED e                                             \* lost
     \/ Takes(l[2], l[1]) /\ e' = [e EXCEPT ![l[2]] = Up(@, 1)]
  /\ UNCHANGED <<ver, decided, dplan, acks, known, hints, old, pairs, gained, horizon, reads>>

Next ==
  \/ Decide \/ GracePasses
  \/ \E v \in First..Last : Begin(v) \/ (\E n \in Nodes : Adopt(n, v)) \/ \E Q \in SUBSET Nodes : Read(Q, v)
  \/ \E n \in Nodes : Deliver(n) \/ Hint(n) \/ Purge(n) \/ \E m \in Nodes : Copy(n, m) \/ Pair(n, m)
  \/ \E l \in late : Late(l)

Spec == Init /\ [][Next]_vars
Symmetry == IF Start = "put" THEN Permutations({n1, n2}) ELSE {}

-------------------------------------------------------------------------------
\* No read by any layout returns the value of the PUT once the DELETE was acknowledged or read.
NoResurrection == known \/ (dplan # 0 /\ Quorum(acks, dplan)) =>
  \A v \in First..Last : \A Q \in SUBSET Nodes : Reads(Q, v) => Max({e[n] : n \in Q}) # 1
===============================================================================
