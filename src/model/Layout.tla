-------------------------------- MODULE Layout --------------------------------
(* Reads and writes of a key while its replicas change: a member joins, leaves or is replaced, or the replication factor
   changes. Layout 1 has the replicas of before, layout 2 those of both sides (joint), layout 3 those of after, or, when
   the change is given up, those of before again. That a version has one content is the subject of Config.tla.

   One key. The number of a write is its timestamp, and 0 is "never written". A request is planned once, by the layout
   that its coordinator has adopted, and carries that version; a write may be planned anew by a later one, with its
   timestamp. A message may be delayed for ever, which is how a node that is down or cut off looks, and may come twice.
   Hints and late repairs (Stray) are counted by no request, and know no layout. Purges are in Moving.tla.            *)
EXTENDS Naturals, FiniteSets, TLC

CONSTANTS
  Old, New,      \* replicas before and after the change
  Dead,          \* old replicas declared dead: the change does not wait for them (they may be alive all the same)
  Writes, Readers,
  WOld, ROld,    \* acks of a write, answers of a read, among the old replicas
  WNew, RNew,    \* the same among the new ones
  Fence,         \* TRUE: a replica refuses what was planned under an older layout than it has adopted
  OwnOnly,       \* TRUE: a node that is no replica in the layout it has adopted refuses what a later one sends it
  WriteJoint,    \* whose acks count in the joint layout: "both", "old", "new"
  ReadJoint,     \* whose answers a read needs in the joint layout: "both", "old", "new"
  HoldJoint,     \* among whom its result must be held before it answers: "both", "old", "new"
  Barrier,       \* TRUE: layout 3 with the new replicas only when all (but the dead) have adopted layout 2
  CopyWhen,      \* a new replica copies from an old one: when that "source" has adopted layout 2, when "all" have, "any" time
  CopyWho,       \* which replicas copy: by the "rule", "gainers" (new ones only), new ones from "one" each, "none"
  From,          \* an entry is to be held by "all" replicas, however many, or by the "number" that it was written to
  Abort,         \* TRUE: layout 3 may be the old replicas again
  DiskLosses     \* how many times a node loses everything, its layout included

VARIABLES
  ver,           \* layout that each node has adopted
  heard,         \* nodes that have ever reported layout 2 as adopted (the proposer may have heard it long ago)
  fin,           \* what layout 3 is: "none" yet, "new", "old"
  mem,           \* newest version that a node holds durably
  copied,        \* <<n, o>>: n has copied what o held
  plan, acks, write,   \* per write: version it is planned under, confirmed by, "new" "busy" "ok"
  read,          \* per reader its state
  amnesiac, got, \* nodes being rebuilt, and from whom they have copied
  oldSaid, losses
vars == <<ver, heard, fin, mem, copied, plan, acks, write, read, amnesiac, got, oldSaid, losses>>

Nodes == Old \cup New
Max(S) == IF S = {} THEN 0 ELSE CHOOSE x \in S : \A y \in S : y <= x
Up(a, b) == IF a > b THEN a ELSE b

\* ---------------- layouts ----------------
OldPart == [set |-> Old, w |-> WOld, r |-> ROld]
NewPart == [set |-> New, w |-> WNew, r |-> RNew]
Parts(v) == IF v = 1 \/ (v = 3 /\ fin = "old") THEN {OldPart} ELSE IF v = 2 THEN {OldPart, NewPart} ELSE {NewPart}
Some(v, rule) == IF v # 2 \/ rule = "both" THEN Parts(v) ELSE IF rule = "old" THEN {OldPart} ELSE {NewPart}
Members(v) == UNION {p.set : p \in Parts(v)}
Acked(S, v)    == \A p \in Some(v, WriteJoint) : Cardinality(S \cap p.set) >= p.w
Answered(S, v) == \A p \in Some(v, ReadJoint)  : Cardinality(S \cap p.set) >= p.r
IsHeld(S, v)   == \A p \in Some(v, HoldJoint)  : Cardinality(S \cap p.set) >= p.r

Coordinated(v) == \E n \in Members(v) : ver[n] = v         \* some node plans requests by this layout
\* Node n does not refuse what was planned under layout v.
Takes(n, v) == (~Fence \/ ver[n] <= v) /\ (~OwnOnly \/ n \in Members(ver[n]))

Told == Nodes \ Dead \subseteq heard
Adopted == \A n \in Nodes \ Dead : ver[n] >= 2
Needed == {<<n, o>> : n \in New \ Old, o \in Old \ Dead} \cup
          (IF CopyWho # "gainers" /\ Cardinality(New) < Cardinality(Old)
           THEN {<<n, o>> : n \in New \cap Old, o \in Old \ (New \cup Dead)} ELSE {})
Complete == CASE CopyWho \in {"rule", "gainers"} -> Needed \subseteq copied
              [] CopyWho = "one" -> \A n \in New \ Old : \E o \in Old : <<n, o>> \in copied
              [] CopyWho = "none" -> TRUE

Idle == [st |-> "new", plan |-> 1, ans |-> <<>>, res |-> 0, have |-> {}, ackedBefore |-> 0, readBefore |-> 0]

Init ==
  /\ ver = [n \in Nodes |-> 1] /\ heard = {} /\ fin = "none"
  /\ mem = [n \in Nodes |-> 0] /\ copied = {}
  /\ plan = [w \in Writes |-> 1] /\ acks = [w \in Writes |-> {}]
  /\ write = [w \in Writes |-> "new"]
  /\ read = [r \in Readers |-> Idle]
  /\ amnesiac = {} /\ got = [n \in Nodes |-> {}] /\ oldSaid = {} /\ losses = 0

Adopt(n, v) ==
  /\ v > ver[n] /\ (v = 3 => fin # "none")
  /\ ver' = [ver EXCEPT ![n] = v] /\ heard' = heard \cup {n}
  /\ mem' = IF ver[n] = 1 /\ n \notin Old THEN [mem EXCEPT ![n] = 0] ELSE mem       \* the floor: see Moving.tla
  /\ UNCHANGED <<fin, copied, plan, acks, write, read, amnesiac, got, oldSaid, losses>>

Copy(n, o) ==
  /\ <<n, o>> \in Needed \ copied /\ ver[n] >= 2 /\ {n, o} \cap amnesiac = {}
  /\ CASE CopyWhen = "all" -> Adopted [] CopyWhen = "source" -> ver[o] >= 2 [] CopyWhen = "any" -> TRUE
  /\ mem' = IF From = "number" /\ Old \subseteq New THEN mem ELSE [mem EXCEPT ![n] = Up(@, mem[o])]
  /\ copied' = copied \cup {<<n, o>>}
  /\ UNCHANGED <<ver, heard, fin, plan, acks, write, read, amnesiac, got, oldSaid, losses>>

Decide(f) ==
  /\ fin = "none" /\ (\E n \in Nodes : ver[n] = 2)
  /\ IF f = "new" THEN Complete /\ (Barrier => Told) ELSE Abort
  /\ fin' = f
  /\ UNCHANGED <<ver, heard, mem, copied, plan, acks, write, read, amnesiac, got, oldSaid, losses>>

\* ---------------- writes ----------------
Begin(w, v) ==
  /\ write[w] = "new" /\ Coordinated(v)
  /\ write' = [write EXCEPT ![w] = "busy"]
  /\ plan' = [plan EXCEPT ![w] = v]
  /\ UNCHANGED <<ver, heard, fin, mem, copied, acks, read, amnesiac, got, oldSaid, losses>>

\* A replica has refused it: it goes to all of the later layout, with its timestamp; acks that have come count.
Again(w, v) ==
  /\ write[w] = "busy" /\ v > plan[w] /\ Coordinated(v)
  /\ plan' = [plan EXCEPT ![w] = v]
  /\ UNCHANGED <<ver, heard, fin, mem, copied, acks, write, read, amnesiac, got, oldSaid, losses>>

Deliver(w, n) ==
  /\ write[w] = "busy" /\ n \in Members(plan[w]) \ acks[w] /\ Takes(n, plan[w])
  /\ mem' = [mem EXCEPT ![n] = Up(@, w)]
  /\ acks' = [acks EXCEPT ![w] = @ \cup {n}]
  /\ UNCHANGED <<ver, heard, fin, copied, plan, write, read, amnesiac, got, oldSaid, losses>>

\* A hint or a late repair: stored, and counted by no request.
Stray(w, n) ==
  /\ write[w] # "new" /\ mem[n] < w /\ n \notin amnesiac
  /\ mem' = [mem EXCEPT ![n] = w]
  /\ UNCHANGED <<ver, heard, fin, copied, plan, acks, write, read, amnesiac, got, oldSaid, losses>>

Answer(w) ==
  /\ write[w] = "busy" /\ Acked(acks[w], plan[w])
  /\ write' = [write EXCEPT ![w] = "ok"]
  /\ plan' = [plan EXCEPT ![w] = 1] /\ acks' = [acks EXCEPT ![w] = {}]      \* of no interest any more
  /\ UNCHANGED <<ver, heard, fin, mem, copied, read, amnesiac, got, oldSaid, losses>>

\* ---------------- reads ----------------
\* One at a time: no property relates reads that overlap, and Stray covers what they repair.
StartRead(r, v) ==
  /\ read[r].st = "new" /\ Coordinated(v) /\ \A q \in Readers : read[q].st \in {"new", "done"}
  /\ read' = [read EXCEPT ![r] =
       [Idle EXCEPT !.st = "ask", !.plan = v,
                    !.ackedBefore = Max({w \in Writes : write[w] = "ok"}),
                    !.readBefore = Max({read[q].res : q \in {p \in Readers : read[p].st = "done"}})]]
  /\ UNCHANGED <<ver, heard, fin, mem, copied, plan, acks, write, amnesiac, got, oldSaid, losses>>

Reply(r, n) ==
  LET o == read[r]
      ans == o.ans @@ (n :> mem[n])
      res == Max({ans[k] : k \in DOMAIN ans})
  IN /\ o.st = "ask" /\ n \in Members(o.plan) \ DOMAIN o.ans /\ n \notin amnesiac /\ Takes(n, o.plan)
     /\ read' = [read EXCEPT ![r] =
          IF ~Answered(DOMAIN ans, o.plan) THEN [o EXCEPT !.ans = ans]
          ELSE [o EXCEPT !.st = "repair", !.ans = <<>>, !.res = res, !.have = {k \in DOMAIN ans : ans[k] = res}]]
     /\ UNCHANGED <<ver, heard, fin, mem, copied, plan, acks, write, amnesiac, got, oldSaid, losses>>

Repair(r, n) ==
  /\ read[r].st = "repair" /\ n \in Members(read[r].plan) \ read[r].have /\ Takes(n, read[r].plan)
  /\ mem' = [mem EXCEPT ![n] = Up(@, read[r].res)]
  /\ read' = [read EXCEPT ![r].have = @ \cup {n}]
  /\ UNCHANGED <<ver, heard, fin, copied, plan, acks, write, amnesiac, got, oldSaid, losses>>

FinishRead(r) ==
  /\ read[r].st = "repair" /\ IsHeld(read[r].have, read[r].plan)
  /\ read' = [read EXCEPT ![r] = [@ EXCEPT !.st = "done", !.have = {}, !.plan = 1]]
  /\ UNCHANGED <<ver, heard, fin, mem, copied, plan, acks, write, amnesiac, got, oldSaid, losses>>

\* ---------------- a lost disk ----------------
DiskLoss(n) ==
  /\ losses < DiskLosses /\ losses' = losses + 1
  /\ mem' = [mem EXCEPT ![n] = 0] /\ ver' = [ver EXCEPT ![n] = 1]
  /\ amnesiac' = amnesiac \cup {n} /\ got' = [got EXCEPT ![n] = {}]
  /\ oldSaid' = {<<"w", w>> : w \in {x \in Writes : write[x] = "busy" /\ n \in acks[x]}}
                \cup {<<"r", r>> : r \in {q \in Readers : n \in read[q].have \/ n \in DOMAIN read[q].ans}}
  /\ UNCHANGED <<heard, fin, copied, plan, acks, write, read>>

\* A node learns the layout of the node that it copies from, and is rebuilt by all other members of its layout.
Rebuild(n, m) ==
  LET v == Up(ver[n], ver[m])
      have == got[n] \cup {m}
  IN
  /\ n \in amnesiac /\ m \notin amnesiac /\ m \notin got[n] /\ m # n
  /\ mem' = [mem EXCEPT ![n] = Up(@, mem[m])] /\ ver' = [ver EXCEPT ![n] = v]
  /\ heard' = IF v >= 2 THEN heard \cup {n} ELSE heard
  /\ IF Members(v) \ ({n} \cup Dead) \subseteq have
     THEN amnesiac' = amnesiac \ {n} /\ got' = [got EXCEPT ![n] = {}]
     ELSE got' = [got EXCEPT ![n] = have] /\ UNCHANGED amnesiac
  /\ acks' = [w \in Writes |-> IF <<"w", w>> \in oldSaid THEN acks[w] \ {n} ELSE acks[w]]
  /\ read' = [r \in Readers |->
       IF <<"r", r>> \in oldSaid
       THEN [read[r] EXCEPT !.have = @ \ {n}, !.ans = [k \in DOMAIN @ \ {n} |-> @[k]]]
       ELSE read[r]]
  /\ oldSaid' = {}
  /\ UNCHANGED <<fin, copied, plan, write, losses>>

Next ==
  \/ \E n \in Nodes, v \in {2, 3} : Adopt(n, v)
  \/ \E f \in {"new", "old"} : Decide(f)
  \/ \E n, o \in Nodes : Copy(n, o) \/ Rebuild(n, o)
  \/ \E n \in Nodes : DiskLoss(n)
  \/ \E w \in Writes : Answer(w) \/ (\E v \in 1..3 : (v = 3 => fin # "none") /\ (Begin(w, v) \/ Again(w, v)))
                       \/ \E n \in Nodes : Deliver(w, n) \/ Stray(w, n)
  \/ \E r \in Readers : FinishRead(r) \/ (\E v \in 1..3 : (v = 3 => fin # "none") /\ StartRead(r, v))
                        \/ \E n \in Nodes : Reply(r, n) \/ Repair(r, n)

Spec == Init /\ [][Next]_vars
Symmetry == Permutations(Old \cap New) \cup Permutations(Readers)

-------------------------------------------------------------------------------
ReadSeesAcked == \A r \in Readers : read[r].st = "done" => read[r].res >= read[r].ackedBefore
Monotonic == \A r \in Readers : read[r].st = "done" => read[r].res >= read[r].readBefore
===============================================================================
