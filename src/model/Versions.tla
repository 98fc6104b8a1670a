------------------------------- MODULE Versions -------------------------------
(* The version is the request's, the ballot is the round's.

   A request (conditional, or a plain write that takes the slow path) has one stamp, taken before anything is sent: its
   version, whichever node carries its rounds and at whatever ballots. A round proposes version v only on a base whose
   version is below v. So versions grow along the history of a key, and v is in it once at most, although v may have been
   proposed before, or is being proposed by another node at this moment.

   Ballots and stamps are 1..K in any order (any clock skew, any delay). A message may be late for ever; a reply that is
   lost is a coordinator that goes on with its next round. What is stored somewhere may be copied anywhere at any time.
   Something has taken effect when a majority has stored it once, or when what has taken effect rests on it; no reader is
   needed to see it. What depends on ballots alone is here, too, beside versions: looks (reads and 412 without a round),
   releases of promises, a lost disk. Register.tla has them for themselves.                                             *)
EXTENDS Naturals, FiniteSets, TLC

CONSTANTS
  Nodes,
  Cas,          \* conditional requests; the number is also its coordinator's first round, whose ballot is the version
  Plain,        \* plain writes: an accept without a prepare, ballot = version
  More,         \* 10 * r + i: a further round of request r with its own ballot (for a plain write: the slow path);
                \* i < 5: by the coordinator, one after the other; i >= 5: by the meeting node, at any time
  Readers,      \* rounds of readers: they settle what they find
  Blind,        \* those of Cas without a condition
  Creates,      \* those of Cas that want the key absent; each other one wants that, or the version of another request
  Deletes,      \* requests that write a tombstone
  Narrow,       \* plain writes with from = 2: their replicas, and those of whatever carries them on, are Pair
  Pair,
  Deadlines,    \* requests may pass their deadline; then neither coordinator nor meeting node sends anything for them
  Purges,       \* a tombstone that all replicas hold, or have purged, is purged once nothing older is under way
  Skew,         \* stamps in any order (FALSE: those of the requests rise with their numbers, for smaller runs)
  Versioning,   \* "request"; "attempt" (version = ballot of the round); "stranger" (and its former versions are not looked for)
  Compare,      \* what must be below v: "version" of the base; its "ballot"; "nothing"
  Parent,       \* "version"; "zero" (0 for what rests on a tombstone); "blank" (0 for plain writes, which know no parent)
  KeepParent,   \* a settle carries the parent on
  Between,      \* base.parent < v < base.version proves that v has not taken effect
  Sure,         \* nothing was proposed: "sent" (no proposal left this node, no other node has the request), "heard" (none
                \* was confirmed), "own" (the other node does not count)
  Shared412,    \* a base below v, the condition fails, another node may carry the request: "unknown"; "final" (412 if the
                \* named version is below the base's); "passed" (the settle notes v: it is dead); "naive" (412)
  Gap,          \* a replica says what its entry has replaced there: a majority that stored nothing from v on: v is dead
  BallotAbove,  \* ballots of a request are not below its version
  OwnTime,      \* an entry's timestamp is its ballot (FALSE: the slow path keeps the plain write's)
  HorizonFence, \* the purge horizon refuses by "version" or by "ballot"
  Quick,        \* reads that look at a majority
  Probes,       \* those of Cas that a look may answer with 412, before anything was proposed for them
  ReadHolds,    \* whom a look counts: who holds exactly the "entry"; who holds its "version"; what is "newer", too
  ReadFence,    \* a look answers only if it has seen no promise above its result
  Refused,      \* a plain write that too many refuse goes on: by the "register"; "anew", with another stamp
  Release,      \* a round that gives up without a proposal: "no"; "restore" the promises that it replaced; "drop" them
  Losses,       \* how many times one node loses everything
  Hints,        \* what of a round is still copied although the disk that held it is lost: "chosen" (by a majority), "any"
  WaitOut,      \* a rebuild copies only when all is over that was under way at the loss
  AmnesiacAcks, \* acks of a node that is rebuilt: "stores" (they do not count), "waited" (they do once all that is over), "always"
  AmnesiacVotes \* it promises and answers looks at once

VARIABLES
  stamp, want,  \* of each round; of each conditional request: a request (its version), 0 (absent), 99 (anything)
  ent, prom,    \* of each replica
  hor,          \* purge horizon
  st,           \* of each round: "new", "prep", "acc" (proposed), "ok" (chosen and heard), "over"
  got,          \* replies so far
  base, prop,   \* what it rests on, what it proposes
  goal,         \* what is answered once a majority has stored the proposal
  has,          \* who has ever stored it, and not lost it before the coordinator could count it
  said,         \* of each request: "written", "read", "unmet" (412), "fresh" (dead: new stamp), "unknown"
  before,       \* requests that were answered when this one began
  dead,         \* requests whose deadline had passed when this one began
  look,         \* of each look: "new", "ask", "hold", "ok"; replies; what it is going to answer; who holds that
  floor,        \* of each replica: what its promise has replaced
  held,         \* <<k, n>>: n has stored proposal k, and copies of it may be anywhere
  amn, copied, old, lost
loss == <<amn, copied, old, lost>>
vars == <<stamp, want, ent, prom, hor, st, got, base, prop, goal, has, said, before, dead, look, floor, held, loss>>

Stamped == Cas \cup Plain \cup Readers
Requests == Stamped \cup Quick
Looks == Quick \cup Probes
Ids == Stamped \cup More
Req(k) == IF k >= 10 THEN k \div 10 ELSE k
Meets(k) == k >= 10 /\ k % 10 >= 5
RoundsOf(r) == {k \in Ids : Req(k) = r}
Former(k) == {j \in RoundsOf(Req(k)) : Meets(j) = Meets(k) /\ j < k}
Latter(k) == {j \in RoundsOf(Req(k)) : Meets(j) = Meets(k) /\ j > k}
Others(k) == {j \in RoundsOf(Req(k)) : Meets(j) # Meets(k)}
NoParent == 99          \* a plain write does not know what it replaces; never taken for 0
Absent == [ts |-> 0, ver |-> 0, par |-> 0, pas |-> 0, und |-> 0]
None == [ts |-> 0, ver |-> 99, par |-> 99, pas |-> 0, und |-> 0]
Up(a, b) == IF a > b THEN a ELSE b
Max(S) == CHOOSE x \in S : \A y \in S : x >= y
Newest(S) == CHOOSE x \in S : \A y \in S : x.ts >= y.ts
Maj(S) == 2 * Cardinality(S) > Cardinality(Nodes)

Of(v) == Req(CHOOSE k \in Ids : stamp[k] = v)                          \* whose version that is
Gone(v) == v = 0 \/ Of(v) \in Deletes
Thin(e) == Narrow # {} /\ e.ver \notin {0, 99} /\ Of(e.ver) \in Narrow
Home(k) == IF Req(k) \in Narrow THEN Pair ELSE Nodes                   \* whom a prepare asks
Reach(e) == IF Thin(e) THEN Pair ELSE Nodes                            \* who stores an entry
Asked(k, S) == IF Req(k) \in Narrow THEN Pair \subseteq S ELSE Maj(S)
Enough(e, S) == IF Thin(e) THEN Pair \subseteq S ELSE Maj(S)

Init ==
  /\ stamp \in {f \in [Ids -> 1..Cardinality(Ids)] :
       /\ \A x, y \in Ids : x # y => f[x] # f[y]
       /\ \A k \in More : (BallotAbove => f[k] > f[Req(k)]) /\ \A j \in Former(k) \cap More : f[j] < f[k]
       /\ \A x, y \in IF Skew THEN Readers ELSE Stamped : x < y => f[x] < f[y]}
  /\ want \in {f \in [Cas -> Cas \cup Plain \cup {0, 99}] :
       \A r \in Cas : CASE r \in Blind -> f[r] = 99 [] r \in Creates -> f[r] = 0 [] OTHER -> f[r] \notin {99, r}}
  /\ ent = [n \in Nodes |-> Absent]
  /\ prom = [n \in Nodes |-> 0]
  /\ hor = [n \in Nodes |-> 0]
  /\ st = [k \in Ids |-> "new"]
  /\ got = [k \in Ids |-> <<>>]
  /\ base = [k \in Ids |-> None]
  /\ prop = [k \in Ids |-> None]
  /\ goal = [k \in Ids |-> "none"]
  /\ has = [k \in Ids |-> {}]
  /\ said = [r \in Requests |-> {}]
  /\ before = [r \in Requests |-> {}]
  /\ dead = [r \in Requests |-> {}]
  /\ look = [r \in Looks |-> [st |-> "new", got |-> <<>>, base |-> None, acks |-> {}]]
  /\ floor = [n \in Nodes |-> 0]
  /\ held = {}
  /\ amn = {} /\ copied = {} /\ old = {} /\ lost = 0

Begun(r) == (\E k \in RoundsOf(r) : st[k] # "new") \/ (r \in Looks /\ look[r].st # "new")
Definite(r) == said[r] \cap {"written", "read", "unmet"} # {}
Note(r) ==
  IF ~Begun(r)
  THEN /\ before' = [before EXCEPT ![r] = {q \in Requests : Definite(q)}]
       /\ dead' = [dead EXCEPT ![r] = IF Deadlines THEN {q \in Requests : Begun(q) /\ \A k \in RoundsOf(q) : st[k] = "over"} ELSE {}]
  ELSE UNCHANGED <<before, dead>>

\* ---------------- the rules ----------------
Proposed(j) == prop[j] # None
Direct(k) == k \in Plain \/ (Refused = "anew" /\ Req(k) \in Plain)        \* sent without a prepare
Votes(n) == n \notin amn \/ AmnesiacVotes
Ver(k) == IF Versioning = "request" THEN stamp[Req(k)] ELSE stamp[k]
Known(k) == IF Versioning = "stranger" THEN {} ELSE {j \in Former(k) : Proposed(j)}
Mine(k) == {Ver(j) : j \in {k} \cup Known(k)}                           \* the versions that this node has proposed for it
Met(r, B) == r \in Plain \/ want[r] = 99 \/ (want[r] = 0 /\ Gone(B.ver)) \/ (want[r] \in Requests /\ B.ver = stamp[want[r]] /\ ~Gone(B.ver))
Alone(k) == Meets(k) \/ Others(k) = {}                                  \* the meeting node's answer is heard only if the other never began
Nothing(k) ==
  CASE Sure = "sent"  -> Alone(k) /\ \A j \in Former(k) : ~Proposed(j)
    [] Sure = "heard" -> Alone(k) /\ \A j \in Former(k) : st[j] # "ok"
    [] Sure = "own"   -> \A j \in Former(k) : ~Proposed(j)

New(k, B) == [ts |-> IF OwnTime THEN stamp[k] ELSE Ver(k), ver |-> Ver(k), par |-> IF Parent = "zero" /\ Gone(B.ver) THEN 0 ELSE B.ver,
              pas |-> 0, und |-> 0]
Same(k, B, p) == [ts |-> stamp[k], ver |-> B.ver, par |-> IF KeepParent THEN B.par ELSE 0, pas |-> Up(B.pas, p), und |-> 0]

\* What round k does with the base B, the newest of the entries E of a majority that has promised.
Decide(k, E) ==
  LET B == Newest(E)
      r == Req(k)
      first == {stamp[j] : j \in Known(k)}
      v == IF Versioning = "attempt" /\ first # {} THEN Max(first) ELSE Ver(k)
      below == CASE Compare = "version" -> B.ver < v /\ B.pas < v
                 [] Compare = "ballot"  -> B.ts < (IF first = {} THEN stamp[k] ELSE Max(first))
                 [] Compare = "nothing" -> TRUE
      gap == Gap /\ \A e \in E : e.ts < v \/ (e.ver = B.ver /\ e.und < v)
      settle(answer) == [what |-> Same(k, B, 0), goal |-> answer]
  IN CASE k \in Readers -> settle("read")
       [] k \notin Readers /\ B.ver \in Mine(k) -> settle("written")
       [] k \notin Readers /\ B.ver \notin Mine(k) /\ below ->
            IF Met(r, B) THEN [what |-> New(k, B), goal |-> "written"]
            ELSE IF Alone(k) \/ Shared412 = "naive" THEN settle("unmet")
            ELSE IF Shared412 = "passed" THEN [what |-> Same(k, B, v), goal |-> "unmet"]
            ELSE IF Shared412 = "final" /\ want[r] \in Requests /\ B.ver > stamp[want[r]] THEN settle("unmet")
            ELSE settle("unknown")
       [] OTHER ->
            IF B.par \in Mine(k) THEN settle("written")
            ELSE IF Nothing(k) \/ (B.ver < v /\ v <= B.pas) \/ (Between /\ B.ver > v /\ B.par < v) \/ gap
                 THEN settle(IF Met(r, B) THEN "fresh" ELSE "unmet")
            ELSE settle("unknown")

\* ---------------- steps ----------------
MayBegin(k) ==
  IF Meets(k) THEN \A j \in Former(k) : st[j] = "ok" => goal[j] = "written"
  ELSE /\ said[Req(k)] \cap {"unmet", "fresh", "unknown"} = {}
       /\ \A j \in Latter(k) : st[j] = "new"

Prepare(k, n) ==
  /\ ~Direct(k) /\ st[k] \in {"new", "prep"} /\ n \in Home(k) \ DOMAIN got[k] /\ Votes(n)
  /\ st[k] = "new" => MayBegin(k)
  /\ ent[n].ts < stamp[k] /\ prom[n] < stamp[k]
  /\ hor[n] < (IF HorizonFence = "version" /\ k \notin Readers THEN Ver(k) ELSE stamp[k])
  /\ Note(Req(k))
  /\ prom' = [prom EXCEPT ![n] = stamp[k]]
  /\ floor' = IF Release = "no" THEN floor ELSE [floor EXCEPT ![n] = IF prom[n] > ent[n].ts THEN prom[n] ELSE 0]
  /\ LET replies == got[k] @@ (n :> ent[n])
         left == {j \in Former(k) : st[j] \in {"new", "prep"}}            \* a coordinator runs one round at a time
         now(s) == [j \in Ids |-> IF j = k THEN s ELSE IF j \in left THEN "over" ELSE st[j]]
         reply(f) == [j \in Ids |-> IF j = k THEN f ELSE IF j \in left THEN <<>> ELSE got[j]]
         ways == {Q \in SUBSET DOMAIN replies : Asked(k, Q)}
     IN \/ /\ st' = now("prep") /\ got' = reply(replies)
           /\ UNCHANGED <<base, prop, goal>>
        \/ \E Q \in ways :
             LET E == {replies[m] : m \in Q}
                 d == Decide(k, E)
             IN /\ n \in Q
                /\ Gap /\ d.goal = "unknown" =>                            \* waits for all before it says so
                     DOMAIN replies = Home(k) /\ \A R \in ways : Decide(k, {replies[m] : m \in R}).goal = "unknown"
                /\ base' = [base EXCEPT ![k] = Newest(E)]
                /\ prop' = [prop EXCEPT ![k] = d.what]
                /\ goal' = [goal EXCEPT ![k] = d.goal]
                /\ st' = now("acc") /\ got' = reply(<<>>)
  /\ UNCHANGED <<stamp, want, ent, hor, has, said, look, held, loss>>

\* A round that has proposed nothing, and never will, tells a replica so.
GiveBack(k, n) ==
  /\ Release # "no" /\ st[k] = "over" /\ ~Proposed(k) /\ prom[n] = stamp[k]
  /\ prom' = [prom EXCEPT ![n] = IF Release = "drop" THEN 0 ELSE floor[n]]
  /\ UNCHANGED <<stamp, want, ent, hor, st, got, base, prop, goal, has, said, before, dead, look, floor, held, loss>>

\* A plain write is sent.
Send(p) ==
  /\ p \in Plain /\ st[p] = "new"
  /\ Note(p)
  /\ st' = [st EXCEPT ![p] = "acc"]
  /\ prop' = [prop EXCEPT ![p] = [ts |-> stamp[p], ver |-> Ver(p), par |-> IF Parent = "blank" THEN 0 ELSE NoParent, pas |-> 0, und |-> 0]]
  /\ goal' = [goal EXCEPT ![p] = "written"]
  /\ UNCHANGED <<stamp, want, ent, prom, hor, got, base, has, said, look, floor, held, loss>>

\* So many have refused it that the others are no majority: it gets another stamp, which is another version.
Anew(k) ==
  LET p == Req(k) IN
  /\ Refused = "anew" /\ k \in More /\ p \in Plain /\ st[k] = "new" /\ st[p] = "acc"
  /\ Maj({n \in Nodes \ has[p] : prom[n] > stamp[p] \/ ent[n].ts > stamp[p]})
  /\ st' = [st EXCEPT ![p] = "over", ![k] = "acc"]
  /\ prop' = [prop EXCEPT ![k] = [prop[p] EXCEPT !.ts = stamp[k], !.ver = stamp[k]]]
  /\ goal' = [goal EXCEPT ![k] = "written"]
  /\ UNCHANGED <<stamp, want, ent, prom, hor, got, base, has, said, before, dead, look, floor, held, loss>>

\* A replica stores a proposal: the proposer's message, however late, or a copy of what another one has stored. A node that
\* is rebuilt takes messages alone.
Accept(k, n) ==
  LET e == prop[k]
      r == Req(k)
      stores == ent[n].ts < e.ts \/ (~OwnTime /\ ent[n].ts = e.ts)
      again == Losses > 0 /\ ent[n].ts = e.ts /\ n \notin amn               \* it has stored or copied it, but did not count
      counts == n \notin amn \/ AmnesiacAcks = "always" \/ (AmnesiacAcks = "waited" /\ old = {})
      all == IF counts THEN has[k] \cup {n} ELSE has[k]
      ends == st[k] = "acc" /\ Enough(e, all)
      heard == IF goal[k] \in {"written", "read"} THEN TRUE
               ELSE IF Meets(k) THEN \A j \in Others(k) : st[j] = "new" ELSE \A j \in Latter(k) : st[j] = "new"
  IN /\ e # None /\ IF n \in amn THEN st[k] = "acc" ELSE st[k] # "over" \/ \E m \in Nodes : <<k, m>> \in held
     /\ n \in Reach(e) /\ (n \notin has[k] \/ lost > 0)
     /\ prom[n] <= stamp[k] /\ hor[n] < e.ts
     /\ stores \/ (again /\ n \notin has[k])
     /\ ent' = [ent EXCEPT ![n] = [e EXCEPT !.und = IF ~Gap THEN 0 ELSE IF e.ver = ent[n].ver THEN ent[n].und ELSE ent[n].ts]]
     /\ has' = [has EXCEPT ![k] = all]
     /\ held' = held \cup {<<k, n>>}
     /\ IF ends
        THEN \/ /\ heard
                /\ said' = [said EXCEPT ![r] = @ \cup {goal[k]}]
                /\ st' = [j \in Ids |-> IF j = k THEN "ok"
                                        ELSE IF Meets(k) /\ goal[k] # "written" /\ j \in Others(k) THEN "over" ELSE st[j]]
             \/ /\ ~heard \/ (Meets(k) /\ goal[k] # "written")
                /\ st' = [st EXCEPT ![k] = "ok"]
                /\ UNCHANGED said
        ELSE UNCHANGED <<st, said>>
     /\ UNCHANGED <<stamp, want, prom, hor, got, base, prop, goal, before, dead, look, floor, loss>>

\* The deadline of a request, for all who carry it.
Expire(r) ==
  /\ Deadlines /\ Begun(r) /\ (r \notin Readers \/ Losses > 0) /\ said[r] = {} /\ \E k \in RoundsOf(r) : st[k] # "over"
  /\ st' = [k \in Ids |-> IF Req(k) = r THEN "over" ELSE st[k]]
  /\ got' = [k \in Ids |-> IF Req(k) = r THEN <<>> ELSE got[k]]
  /\ has' = [k \in Ids |-> IF Req(k) = r /\ ~Enough(prop[k], has[k]) THEN has[k] \ amn ELSE has[k]]
  /\ UNCHANGED <<stamp, want, ent, prom, hor, base, prop, goal, said, before, dead, look, floor, held, loss>>

Purge(n) ==
  /\ Purges /\ ent[n].ts # 0 /\ Gone(ent[n].ver)
  /\ \A m \in Nodes : ent[m].ts >= ent[n].ts \/ hor[m] >= ent[n].ts
  /\ \A k \in Ids : st[k] \in {"prep", "acc"} => stamp[Req(k)] > ent[n].ts
  /\ hor' = [hor EXCEPT ![n] = Up(@, ent[n].ts)]
  /\ ent' = [ent EXCEPT ![n] = Absent]
  /\ UNCHANGED <<stamp, want, prom, st, got, base, prop, goal, has, said, before, dead, look, floor, held, loss>>

\* ---------------- looks ----------------
\* A majority holds exactly one entry, and none of it shows a promise above: a read is answered by it, a condition that it
\* does not meet with 412.
Look(r, n) ==
  /\ r \in Looks /\ look[r].st \in {"new", "ask"} /\ n \notin DOMAIN look[r].got /\ Votes(n)
  /\ r \in Cas => said[r] = {} /\ \A k \in RoundsOf(r) : st[k] # "over" /\ ~Proposed(k) /\ Alone(k)
  /\ Note(r)
  /\ LET replies == look[r].got @@ (n :> [e |-> ent[n], p |-> prom[n]])
     IN \/ /\ look' = [look EXCEPT ![r].st = "ask", ![r].got = replies]
           /\ UNCHANGED <<st, got, said>>
        \/ \E Q \in SUBSET DOMAIN replies :
             LET e == Newest({replies[m].e : m \in Q})
                 have == {m \in Q : IF ReadHolds = "version" THEN replies[m].e.ver = e.ver ELSE replies[m].e.ts = e.ts}
                 done == [st |-> "ok", got |-> <<>>, base |-> e, acks |-> {}]
             IN /\ n \in Q /\ Maj(Q)
                /\ ReadFence => \A m \in Q : replies[m].p <= e.ts
                /\ IF r \in Cas
                   THEN /\ Maj(have) /\ ~Met(r, e)
                        /\ look' = [look EXCEPT ![r] = done]
                        /\ said' = [said EXCEPT ![r] = {"unmet"}]
                        /\ st' = [k \in Ids |-> IF Req(k) = r THEN "over" ELSE st[k]]
                        /\ got' = [k \in Ids |-> IF Req(k) = r THEN <<>> ELSE got[k]]
                   ELSE /\ look' = [look EXCEPT ![r] = IF Maj(have) THEN done ELSE [done EXCEPT !.st = "hold", !.acks = have]]
                        /\ said' = IF Maj(have) THEN [said EXCEPT ![r] = {"read"}] ELSE said
                        /\ UNCHANGED <<st, got>>
  /\ UNCHANGED <<stamp, want, ent, prom, hor, base, prop, goal, has, floor, held, loss>>

\* Its repair has brought the result to one more replica (Accept), before the answer.
Repaired(r, n) ==
  LET e == look[r].base
      all == look[r].acks \cup {n}
  IN /\ r \in Quick /\ look[r].st = "hold" /\ n \notin look[r].acks \cup amn
     /\ ent[n].ts = e.ts \/ (ReadHolds = "newer" /\ ent[n].ts > e.ts)
     /\ look' = [look EXCEPT ![r].st = IF Maj(all) THEN "ok" ELSE "hold", ![r].acks = IF Maj(all) THEN {} ELSE all]
     /\ said' = IF Maj(all) THEN [said EXCEPT ![r] = {"read"}] ELSE said
     /\ UNCHANGED <<stamp, want, ent, prom, hor, st, got, base, prop, goal, has, before, dead, floor, held, loss>>

\* ---------------- a lost disk ----------------
Active(o) == (o \in Ids /\ st[o] \in {"prep", "acc"}) \/ (o \in Looks /\ look[o].st \in {"ask", "hold"})
DiskLoss(n) ==
  /\ lost < Losses /\ amn = {}
  /\ lost' = lost + 1
  /\ ent' = [ent EXCEPT ![n] = Absent]
  /\ prom' = [prom EXCEPT ![n] = 0]
  /\ floor' = [floor EXCEPT ![n] = 0]
  /\ hor' = [hor EXCEPT ![n] = 0]
  /\ has' = [k \in Ids |-> IF st[k] = "acc" \/ Enough(prop[k], has[k]) THEN has[k] ELSE has[k] \ {n}]
  /\ amn' = {n} /\ copied' = {}
  /\ old' = {o \in Ids \cup Looks : Active(o)}
  /\ UNCHANGED <<stamp, want, st, got, base, prop, goal, said, before, dead, look, held>>

\* All that was under way at the loss has ended by its deadline.
Waited ==
  /\ old # {} /\ \A o \in old : ~Active(o)
  /\ old' = {}
  /\ UNCHANGED <<stamp, want, ent, prom, hor, st, got, base, prop, goal, has, said, before, dead, look, floor, held, amn, copied, lost>>

\* Copying heeds no promise. What was on its way from the lost disk has come by its deadline, hints excepted.
Stays(k, n) == Hints = "any" \/ Direct(k) \/ Enough(prop[k], has[k]) \/ ent[n].ts = prop[k].ts
Rebuild(n, m) ==
  /\ n \in amn /\ m \notin amn /\ m \notin copied
  /\ WaitOut => old = {}
  /\ held' = IF copied # {} THEN held ELSE {h \in held : h[2] # n \/ Stays(h[1], n)}
  /\ ent' = [ent EXCEPT ![n] = Newest({@, ent[m]})]
  /\ hor' = [hor EXCEPT ![n] = Up(@, hor[m])]
  /\ IF copied \cup {m} = Nodes \ {n} THEN amn' = {} /\ copied' = {} ELSE amn' = amn /\ copied' = copied \cup {m}
  /\ UNCHANGED <<stamp, want, prom, st, got, base, prop, goal, has, said, before, dead, look, floor, old, lost>>

Next ==
  \/ \E k \in Ids, n \in Nodes : Prepare(k, n) \/ Accept(k, n) \/ GiveBack(k, n)
  \/ \E k \in Ids : Anew(k)
  \/ \E r \in Requests : Send(r) \/ Expire(r)
  \/ \E r \in Looks, n \in Nodes : Look(r, n) \/ Repaired(r, n)
  \/ \E n \in Nodes : Purge(n) \/ DiskLoss(n) \/ \E m \in Nodes : Rebuild(n, m)
  \/ Waited
Spec == Init /\ [][Next]_vars
Symmetry == IF Narrow = {} THEN Permutations(Nodes) ELSE Permutations(Pair)

-------------------------------------------------------------------------------
\* The history: what has taken effect, in the order of the ballots. An origin brings a version into it, others carry it on.
RECURSIVE Close(_)
Close(S) == LET T == S \cup {j \in Ids : Proposed(j) /\ \E k \in S : base[k].ts = prop[j].ts}
            IN IF T = S THEN S ELSE Close(T)
Effective == Close({k \in Ids : Proposed(k) /\ (Enough(prop[k], has[k]) \/ \E r \in Looks : look[r].st = "ok" /\ look[r].base.ts = prop[k].ts)})
Origin(k) == Direct(k) \/ base[k].ver # prop[k].ver
Origins(E, r) == {k \in E : Req(k) = r /\ Origin(k) /\ r \notin Readers}

Grow(E) ==
  \A j, k \in E : prop[j].ts < prop[k].ts => prop[j].ver < prop[k].ver \/ (prop[j].ver = prop[k].ver /\ ~Origin(k))

\* Nothing that has taken effect lies between a round's proposal and what it rests on.
Rests(E) ==
  \A k \in {j \in E : ~Direct(j)} :
    LET low == {j \in E : prop[j].ts < prop[k].ts}
        j == CHOOSE x \in low : \A y \in low : prop[x].ts >= prop[y].ts
    IN low # {} => prop[j].ver = base[k].ver \/ (Gone(prop[j].ver) /\ Gone(base[k].ver))

Once(E) == \A r \in Requests : Cardinality(Origins(E, r)) <= 1
No(E)   == \A r \in Requests : said[r] \cap {"unmet", "fresh"} # {} => Origins(E, r) = {}
Yes(E)  == \A r \in Requests : "written" \in said[r] => Origins(E, r) # {}

Seen(r) == IF r \in Looks /\ look[r].st = "ok" THEN look[r].base.ver
           ELSE LET k == CHOOSE x \in RoundsOf(r) : st[x] = "ok" /\ goal[x] \in said[r] \cap {"read", "unmet"} IN base[k].ver
Looked(r) == said[r] \cap {"read", "unmet"} # {}
Val(q) == IF Looked(q) THEN Seen(q) ELSE stamp[q]
Sees(v, q) == v >= Val(q) \/ (Purges /\ v = 0 /\ Gone(Val(q)))

\* What was answered before a request began comes before it.
Real(E) ==
  /\ \A r \in Cas \cup Plain : \A k \in Origins(E, r), q \in before[r] :
       prop[k].ver > Val(q) /\ (~Direct(k) => Sees(base[k].ver, q))
  /\ \A r \in Requests : Looked(r) => \A q \in before[r] : Sees(Seen(r), q)

\* A conditional request or a read settles those whose deadline has passed before: what it does not see never comes.
Settles(E) ==
  \A r \in Cas \cup Readers \cup Quick : \A q \in dead[r] : \A k \in Origins(E, q) :
    q \in Cas /\ Definite(r) => IF Looked(r) THEN prop[k].ver <= Seen(r) ELSE prop[k].ver < stamp[r]

VersionsGrow == Grow(Effective)
Atomic == Rests(Effective)
AtMostOnce == Once(Effective)
NoFalse412 == No(Effective)         \* what was answered "not written", or stamped anew, never takes effect
NoFalse201 == Yes(Effective)
RealTime == Real(Effective)
Settled == Settles(Effective)
Holds == LET E == Effective IN Grow(E) /\ Rests(E) /\ Once(E) /\ No(E) /\ Yes(E) /\ Real(E) /\ Settles(E)

\* No 504: holds where only what a rule has a definite answer for can come between.
NoUnknown == \A r \in Requests : "unknown" \in said[r] => "written" \in said[r]

\* Each of these has to break, which shows that its rule is used. Somebody settled the base above the ballot of a former
\* proposal: proposed anew, and written.
NeverAnew == ~\E k \in More : st[k] = "ok" /\ Origin(k) /\ \E j \in Former(k) : Proposed(j) /\ base[k].ts > prop[j].ts
\* Dead for certain although proposed before; written, known from the parent of a newer version; dead, since passed.
NeverDead == ~\E k \in More : st[k] = "ok" /\ goal[k] \in {"fresh", "unmet"} /\ base[k].ver > stamp[Req(k)] /\ \E j \in Former(k) : Proposed(j)
NeverParent == ~\E k \in More : st[k] = "ok" /\ goal[k] = "written" /\ base[k].par = stamp[Req(k)]
NeverPassed == ~\E k \in More : Meets(k) /\ st[k] = "ok" /\ goal[k] # "written" /\ base[k].pas = stamp[Req(k)]
===============================================================================
