------------------------------- MODULE Tombstone -------------------------------
(* Deleted stays deleted, and all replicas agree in the end: purge of tombstones by marks of arrival sequences, with
   comparisons that take their time, hints, read repair, lost and older directories, a replica declared lost.

   One key, three replicas, a PUT (version 1) and a later DELETE (version 2, a tombstone); 0 is 'nothing held'. The
   newer version is the larger number. A quorum read with its repair is one step. Time has two phases: at first
   everything is younger than the grace period; after `GracePasses` PUT, DELETE and all hints of them are older.

   Sequences are modelled by what they decide. A comparison notes at its begin who holds the tombstone (`had`): its
   arrival sequence is then at most the one noted. Who loses it meanwhile, and gets it again, holds it with a later
   sequence. <<n, m>> \in marks says: the tombstone that n holds counts as compared with m.                          *)
EXTENDS Naturals, FiniteSets, TLC

CONSTANTS
  Nodes,
  MarkBy,         \* what counts as compared: "both" sequence and instant of the mark, "sequence" or "instant" alone
  MarkAt,         \* when the sequence of a mark is taken: at the "begin" of the comparison, or at its "end"
  Whole,          \* TRUE: a mark moves when all that differed is durable where it was missing
  Again,          \* the very same tombstone arrives once more: keeps its "first" sequence, or gets a "new" one
  Known,          \* a tombstone not newer than the receiver's horizon, where nothing is held, counts as compared: with
                  \*   nobody ("new"), with its "sender" if it is of a stream, or with "all"
  LeaveOut,       \* TRUE: what may be purged is left out of answers, comparisons and streams
  PurgeWaits,     \* TRUE: purge begins one request deadline after the comparison, so late read repairs are gone
  VoidOnLoss,     \* TRUE: a mark is void when the other's storage id is another, or it is rebuilding
  FenceHints,     \* TRUE: a replica refuses hints not newer than its horizon
  HintWindow,     \* TRUE: hints older than the grace period are dropped by their owner
  AmnesiacHints,  \* TRUE: a node that is being rebuilt accepts hints
  FenceStream,    \* TRUE: chunks of a round older than the last one completed with the same peer are refused
  RebuildFrom,    \* from how many peers a node is rebuilt
  MergeBack,      \* what is merged back from what was set aside: "all", or what is newer than all "horizon"s
  AwayRule,       \* a node that was declared lost comes back: "merge" as it is, rebuilt when a peer's "horizon" is above
                  \*   the last round that it confirmed, or rebuilt because it was "declared" lost
  MaxDown, MaxLost, MaxDeclared, MaxReads, MaxOpen,   \* bounds of faults, reads, and comparisons open at a time
  OtherKey,       \* TRUE: the tombstone of another key, newer than ours, may be purged by any node
  OwedPut,        \* TRUE: at first a hint with the PUT may be owed to a node that missed it
  Deletes         \* FALSE: nobody deletes

VARIABLES
  e,            \* version held by each node, also if it may be purged
  acked,        \* the PUT was acknowledged
  sent, got,    \* nodes that the DELETE is still under way to; how many have confirmed it (9: it has no timestamp yet)
  hints,        \* <<version, node>> kept by some coordinator
  late,         \* nodes that a late read repair of version 1 is under way to
  chunks,       \* <<from, to>>: a chunk with version 1 of an aborted comparison is under way
  old,          \* the grace period has passed
  deleted,      \* a client knows of the deletion: it was acknowledged, or a read returned it
  down,
  amnesiac, copied, aside,
  strange,      \* <<m, n>>: m does not know yet that n lost its directory
  lost,         \* nodes that are declared lost
  cmp,          \* comparisons under way, by pair
  rounds,       \* <<n, m>>: n completed a round with m whose instant is not before the tombstone's timestamp
  marks,
  horizon,      \* nodes with a horizon not below the tombstone
  budget, bad
vars == <<e, acked, sent, got, hints, late, chunks, old, deleted, down, amnesiac, copied, aside, strange, lost, cmp, rounds, marks,
          horizon, budget, bad>>

Max(S) == CHOOSE x \in S : \A y \in S : y <= x
Up(a, b) == IF a > b THEN a ELSE b
Pairs == {p \in SUBSET Nodes : Cardinality(p) = 2}
Other(n, p) == CHOOSE m \in p : m # n
Off == [on |-> FALSE, covers |-> FALSE, had |-> {}, look |-> [n \in Nodes |-> 9], owed |-> {}]
Serving(n) == n \notin down /\ n \notin amnesiac
Begun == got # 9

Init ==
  /\ e \in [Nodes -> {0, 1}] /\ \E n \in Nodes : e[n] = 1      \* the PUT has reached some nodes, and is owed to one more
  /\ hints \in {{}} \cup (IF OwedPut THEN {{<<1, n>>} : n \in {k \in Nodes : e[k] = 0}} ELSE {})
  /\ acked = (Cardinality({n \in Nodes : e[n] = 1}) >= 2)
  /\ sent = {} /\ got = 9 /\ late = {} /\ chunks = {} /\ old = FALSE /\ deleted = FALSE
  /\ down = {} /\ amnesiac = {} /\ copied = {} /\ aside = [n \in Nodes |-> 0] /\ strange = {} /\ lost = {}
  /\ cmp = [p \in Pairs |-> Off] /\ rounds = {} /\ marks = {} /\ horizon = {}
  /\ budget = [down |-> 0, lost |-> 0, declared |-> 0, reads |-> 0] /\ bad = {}

\* ---------------- arrival ----------------
\* Version v arrives at n; `from` is the sender of a stream, or n itself for anything else.
Counted(n, from) ==
  IF n \notin horizon \/ e[n] # 0 THEN {}
  ELSE CASE Known = "all" -> {<<n, m>> : m \in Nodes \ {n}}
         [] Known = "sender" /\ from # n -> {<<n, from>>}
         [] OTHER -> {}
Arrived(n, v) == v = 2 /\ (e[n] < 2 \/ Again = "new")
MarksAfter(n, v, from) ==
  IF ~Arrived(n, v) \/ MarkBy = "instant" THEN marks
  ELSE {k \in marks : k[1] # n} \cup Counted(n, from)
Unseen(c, n) == [p \in Pairs |-> [c[p] EXCEPT !.had = @ \ {n}]]       \* n's tombstone is not the one of the begin
CmpAfter(n, v) == IF Arrived(n, v) THEN Unseen(cmp, n) ELSE cmp
Store(n, v, from) ==
  /\ e' = [e EXCEPT ![n] = Up(@, v)]
  /\ marks' = MarksAfter(n, v, from)

\* ---------------- writes and hints ----------------
Begin ==
  /\ ~Begun /\ ~old /\ Deletes
  /\ got' = 0 /\ sent' = Nodes
  /\ UNCHANGED <<e, acked, hints, late, chunks, old, deleted, down, amnesiac, copied, aside, strange, lost, cmp, rounds, marks, horizon, budget, bad>>

Deliver(n) ==
  /\ n \in sent /\ n \notin down
  /\ sent' = sent \ {n} /\ got' = got + 1
  /\ Store(n, 2, n) /\ cmp' = CmpAfter(n, 2)
  /\ deleted' = (deleted \/ got + 1 >= 2)
  /\ UNCHANGED <<acked, hints, late, chunks, old, down, amnesiac, copied, aside, strange, lost, rounds, horizon, budget, bad>>

Miss(n) ==                                    \* lost; it becomes a hint, or that is dropped, too
  /\ n \in sent
  /\ sent' = sent \ {n}
  /\ \E h \in {{}, {<<2, n>>}} : hints' = hints \cup h
  /\ UNCHANGED <<e, acked, got, late, chunks, old, deleted, down, amnesiac, copied, aside, strange, lost, cmp, rounds, marks, horizon, budget, bad>>

Hint(h) ==
  LET n == h[2] IN
  /\ n \notin down /\ hints' = hints \ {h}
  /\ IF (FenceHints /\ n \in horizon) \/ (~AmnesiacHints /\ n \in amnesiac)
     THEN UNCHANGED <<e, marks, cmp>>
     ELSE Store(n, h[1], n) /\ cmp' = CmpAfter(n, h[1])
  /\ UNCHANGED <<acked, sent, got, late, chunks, old, deleted, down, amnesiac, copied, aside, strange, lost, rounds, horizon, budget, bad>>

\* ---------------- time, purge ----------------
GracePasses ==
  /\ ~old /\ sent = {} /\ late = {}
  /\ old' = TRUE
  /\ hints' = IF HintWindow THEN {} ELSE hints
  /\ UNCHANGED <<e, acked, sent, got, late, chunks, deleted, down, amnesiac, copied, aside, strange, lost, cmp, rounds, marks, horizon, budget, bad>>

Purgeable(n) ==
  /\ old /\ e[n] = 2 /\ n \notin amnesiac
  /\ PurgeWaits => late = {}
  /\ \A m \in Nodes \ {n} : <<n, m>> \in marks \/ m \in lost
Held(n) == IF LeaveOut /\ Purgeable(n) THEN 0 ELSE e[n]

\* A compaction; until then the tombstone is only left out.
Purge(n) ==
  /\ Serving(n) /\ Purgeable(n)
  /\ e' = [e EXCEPT ![n] = 0] /\ horizon' = horizon \cup {n}
  /\ cmp' = Unseen(cmp, n)
  /\ marks' = IF MarkBy = "instant" THEN marks ELSE {k \in marks : k[1] # n}
  /\ UNCHANGED <<acked, sent, got, hints, late, chunks, old, deleted, down, amnesiac, copied, aside, strange, lost, rounds, budget, bad>>

PurgeOther(n) ==
  /\ OtherKey /\ Serving(n) /\ n \notin horizon /\ old
  /\ horizon' = horizon \cup {n}
  /\ UNCHANGED <<e, acked, sent, got, hints, late, chunks, old, deleted, down, amnesiac, copied, aside, strange, lost, cmp, rounds, marks, budget, bad>>

\* ---------------- reads ----------------
Read(Q) ==
  LET top == Max({Held(n) : n \in Q}) IN
     /\ \A n \in Q : Serving(n)
     /\ bad' = bad \cup (IF deleted /\ top = 1 THEN {"resurrected"} ELSE {})
                   \cup (IF acked /\ ~Begun /\ top = 0 THEN {"lost"} ELSE {})
     /\ \/ /\ deleted' = (deleted \/ \A n \in Q : Held(n) = 2)          \* nothing to repair, or it fails: 504
           /\ UNCHANGED <<e, late, budget, marks, cmp>>
        \/ /\ deleted' = (deleted \/ top = 2)                            \* Q is repaired before the answer
           /\ budget.reads < MaxReads /\ budget' = [budget EXCEPT !.reads = @ + 1]
           /\ LET fixed == {n \in Q : Held(n) < top}
                  moved == {n \in fixed : Arrived(n, top)} IN
                /\ e' = [n \in Nodes |-> IF n \in fixed THEN Up(e[n], top) ELSE e[n]]
                /\ marks' = IF MarkBy = "instant" THEN marks
                            ELSE {k \in marks : k[1] \notin moved} \cup UNION {Counted(n, n) : n \in moved}
                /\ cmp' = [p \in Pairs |-> [cmp[p] EXCEPT !.had = @ \ moved]]
           /\ late' = IF top = 1 THEN late \cup (Nodes \ Q) ELSE late                         \* the rest after it
     /\ UNCHANGED <<acked, sent, got, hints, chunks, old, down, amnesiac, copied, aside, strange, lost, rounds, horizon>>

Late(n) ==
  /\ n \in late /\ n \notin down /\ late' = late \ {n}
  /\ e' = [e EXCEPT ![n] = Up(@, 1)]
  /\ UNCHANGED <<acked, sent, got, hints, chunks, old, deleted, down, amnesiac, copied, aside, strange, lost, cmp, rounds, marks, horizon, budget, bad>>
LateLost(n) ==
  /\ n \in late /\ late' = late \ {n}
  /\ UNCHANGED <<e, acked, sent, got, hints, chunks, old, deleted, down, amnesiac, copied, aside, strange, lost, cmp, rounds, marks, horizon, budget, bad>>

\* ---------------- comparisons ----------------
Open(p) ==
  /\ ~cmp[p].on /\ \A n \in p : Serving(n) /\ n \notin lost
  /\ Cardinality({q \in Pairs : cmp[q].on}) < MaxOpen
  /\ \E c \in (IF ~Begun THEN {FALSE} ELSE IF old THEN {TRUE} ELSE {TRUE, FALSE}) :
       cmp' = [cmp EXCEPT ![p] = [Off EXCEPT !.on = TRUE, !.covers = c, !.had = {n \in p : e[n] = 2}]]
  /\ UNCHANGED <<e, acked, sent, got, hints, late, chunks, old, deleted, down, amnesiac, copied, aside, strange, lost, rounds, marks, horizon, budget, bad>>

\* One side reads its own; what is stamped after the instant is left out.
Look(n, p) ==
  /\ n \in p /\ cmp[p].on /\ cmp[p].look[n] = 9
  /\ LET c == cmp[p]
         mine == IF e[n] = 2 /\ ~c.covers THEN 0 ELSE Held(n)
         theirs == c.look[Other(n, p)] IN
       cmp' = [cmp EXCEPT ![p].look[n] = mine,
                          ![p].owed = IF theirs = 9 \/ theirs = mine THEN {}
                                      ELSE IF mine > theirs THEN {<<n, Other(n, p), mine>>} ELSE {<<Other(n, p), n, theirs>>}]
  /\ UNCHANGED <<e, acked, sent, got, hints, late, chunks, old, deleted, down, amnesiac, copied, aside, strange, lost, rounds, marks, horizon, budget, bad>>

Stream(p) ==
  /\ \E o \in cmp[p].owed :
       /\ Store(o[2], o[3], o[1])
       /\ cmp' = [CmpAfter(o[2], o[3]) EXCEPT ![p].owed = {}]
  /\ UNCHANGED <<acked, sent, got, hints, late, chunks, old, deleted, down, amnesiac, copied, aside, strange, lost, rounds, horizon, budget, bad>>

Complete(p) ==
  LET c == cmp[p]
      holding == IF MarkBy = "instant" THEN p ELSE IF MarkAt = "begin" THEN c.had ELSE {n \in p : e[n] = 2} IN
  /\ c.on /\ \A n \in p : c.look[n] # 9
  /\ Whole => c.owed = {}
  /\ cmp' = [cmp EXCEPT ![p] = Off]
  /\ marks' = IF c.covers \/ MarkBy = "sequence" THEN marks \cup {<<n, Other(n, p)>> : n \in holding} ELSE marks
  /\ rounds' = IF c.covers THEN rounds \cup {<<n, Other(n, p)>> : n \in p} ELSE rounds
  /\ chunks' = (IF FenceStream THEN {k \in chunks : {k[1], k[2]} # p} ELSE chunks) \cup {<<o[1], o[2]>> : o \in {x \in c.owed : x[3] = 1}}
  /\ UNCHANGED <<e, acked, sent, got, hints, late, old, deleted, down, amnesiac, copied, aside, strange, lost, horizon, budget, bad>>

Chunk(k) ==
  /\ k \in chunks /\ k[2] \notin down /\ chunks' = chunks \ {k}
  /\ e' = IF k[2] \in amnesiac THEN e ELSE [e EXCEPT ![k[2]] = Up(@, 1)]
  /\ UNCHANGED <<acked, sent, got, hints, late, old, deleted, down, amnesiac, copied, aside, strange, lost, cmp, rounds, marks, horizon, budget, bad>>

Aborted(n) == {p \in Pairs : n \in p}
CmpWithout(n) == [p \in Pairs |-> IF n \in p THEN Off ELSE cmp[p]]
Leftover(n) == chunks \cup {<<o[1], o[2]>> : o \in {x \in UNION {cmp[p].owed : p \in Aborted(n)} : x[3] = 1}}

\* ---------------- faults ----------------
Down(n) ==
  /\ budget.down < MaxDown /\ n \notin down
  /\ down' = down \cup {n} /\ budget' = [budget EXCEPT !.down = @ + 1]
  /\ cmp' = CmpWithout(n) /\ chunks' = Leftover(n)
  /\ UNCHANGED <<e, acked, sent, got, hints, late, old, deleted, amnesiac, copied, aside, strange, lost, rounds, marks, horizon, bad>>

\* An operator says that a node does not come back.
Declare(n) ==
  /\ budget.declared < MaxDeclared /\ n \in down /\ n \notin lost
  /\ lost' = lost \cup {n} /\ budget' = [budget EXCEPT !.declared = @ + 1]
  /\ UNCHANGED <<e, acked, sent, got, hints, late, chunks, old, deleted, down, amnesiac, copied, aside, strange, cmp, rounds, marks, horizon, bad>>

\* It does all the same.
Return(n) ==
  LET again == n \in lost /\ \/ AwayRule = "declared"
                             \/ AwayRule = "horizon" /\ \E m \in horizon \ {n} : <<n, m>> \notin rounds IN
  /\ n \in down /\ down' = down \ {n} /\ lost' = lost \ {n}
  /\ IF again THEN /\ aside' = [aside EXCEPT ![n] = e[n]] /\ e' = [e EXCEPT ![n] = 0]
                   /\ amnesiac' = amnesiac \cup {n}
                   /\ marks' = {k \in marks : n \notin {k[1], k[2]}}
              ELSE UNCHANGED <<e, aside, amnesiac, marks>>
  /\ UNCHANGED <<acked, sent, got, hints, late, chunks, old, deleted, copied, strange, cmp, rounds, horizon, budget, bad>>

\* The directory is empty, or an older one with the PUT in it.
DiskLoss(n) ==
  /\ budget.lost < MaxLost /\ Serving(n)
  /\ e' = [e EXCEPT ![n] = 0]
  /\ \E a \in {0, 1} : (a = 1 => e[n] > 0) /\ aside' = [aside EXCEPT ![n] = a]
  /\ horizon' = horizon \ {n} /\ amnesiac' = amnesiac \cup {n} /\ budget' = [budget EXCEPT !.lost = @ + 1]
  /\ marks' = {k \in marks : k[1] # n} /\ rounds' = {k \in rounds : k[1] # n}
  /\ strange' = strange \cup {<<m, n>> : m \in Nodes \ {n}}
  /\ cmp' = CmpWithout(n) /\ chunks' = Leftover(n)
  /\ UNCHANGED <<acked, sent, got, hints, late, old, deleted, down, copied, lost, bad>>

\* The handshake: from now on m knows of n's loss.
Greet(m, n) ==
  /\ <<m, n>> \in strange /\ m \notin down /\ n \notin down
  /\ strange' = strange \ {<<m, n>>}
  /\ marks' = IF VoidOnLoss THEN marks \ {<<m, n>>} ELSE marks
  /\ UNCHANGED <<e, acked, sent, got, hints, late, chunks, old, deleted, down, amnesiac, copied, aside, lost, cmp, rounds, horizon, budget, bad>>

Rebuild(n, m) ==
  LET top == Held(m)
      have == {c \in copied : c[1] = n} \cup {<<n, m>>}
      carried == IF m \in horizon THEN horizon \cup {n} ELSE horizon
      back == IF MergeBack = "all" \/ carried = {} THEN aside[n] ELSE 0 IN
  /\ n \in amnesiac /\ n \notin down /\ Serving(m) /\ <<n, m>> \notin copied /\ <<m, n>> \notin strange
  /\ sent = {}                   \* copying begins when the requests of before the loss have ended
  /\ horizon' = carried
  /\ cmp' = CmpAfter(n, top)
  /\ IF Cardinality(have) >= RebuildFrom
     THEN /\ amnesiac' = amnesiac \ {n} /\ copied' = copied \ have
          /\ e' = [e EXCEPT ![n] = Up(Up(@, top), back)] /\ aside' = [aside EXCEPT ![n] = 0]
          /\ marks' = {k \in marks : k[1] # n}
     ELSE /\ copied' = copied \cup have /\ UNCHANGED <<amnesiac, aside>>
          /\ e' = [e EXCEPT ![n] = Up(@, top)]
          /\ marks' = {k \in marks : k[1] # n}
  /\ UNCHANGED <<acked, sent, got, hints, late, chunks, old, deleted, down, strange, lost, rounds, budget, bad>>

Next ==
  \/ Begin \/ \E n \in Nodes : Deliver(n) \/ Miss(n)
  \/ \E h \in hints : Hint(h)
  \/ \E k \in chunks : Chunk(k)
  \/ GracePasses
  \/ \E p \in Pairs : Open(p) \/ Stream(p) \/ Complete(p) \/ \E n \in p : Look(n, p)
  \/ \E n \in Nodes : \/ Purge(n) \/ PurgeOther(n) \/ Late(n) \/ LateLost(n)
                      \/ Down(n) \/ Declare(n) \/ Return(n) \/ DiskLoss(n)
                      \/ \E m \in Nodes \ {n} : Rebuild(n, m) \/ Greet(n, m)
  \/ \E Q \in SUBSET Nodes : Cardinality(Q) = 2 /\ Read(Q)

Spec == Init /\ [][Next]_vars
Symmetry == Permutations(Nodes)

\* Faults and reads are bounded, so they stop; what heals goes on.
Fair ==
  /\ \A p \in Pairs : /\ WF_vars(Open(p)) /\ WF_vars(Stream(p)) /\ WF_vars(Complete(p))
                      /\ \A n \in Nodes : WF_vars(Look(n, p))
  /\ WF_vars(GracePasses)
  /\ \A n \in Nodes : /\ WF_vars(Return(n)) /\ WF_vars(LateLost(n)) /\ WF_vars(Purge(n)) /\ WF_vars(Miss(n))
                      /\ \A m \in Nodes \ {n} : WF_vars(Rebuild(n, m)) /\ WF_vars(Greet(n, m))
FairSpec == Spec /\ Fair

-------------------------------------------------------------------------------
NoResurrection == "resurrected" \notin bad
NothingLost == "lost" \notin bad                    \* an acknowledged PUT that nobody deleted is read
SomebodyKnows == amnesiac # Nodes                   \* somebody is left to rebuild from
Agree == \A n, m \in Nodes : e[n] = e[m]
Convergence == <>[]Agree
\* Less than Convergence: what readers and comparisons see does not differ for ever.
Seen == \A n, m \in Nodes : Held(n) = Held(m)
Settles == []<>Seen
===============================================================================
