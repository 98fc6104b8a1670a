-------------------------------- MODULE Config --------------------------------
(* The decisions of io.quorate.consensus: each version gets one content, by Paxos of a single decision among the voters
   that the version before names. So the voters never change while a decision is taken, and a change of voters needs no
   rule of its own. A voter is a node with one life of its directory: a node that has lost its disk has lost its
   promises, and votes again when a later version names its new life.

   Two decisions in a row, versions 2 and 3. A ballot belongs to one attempt of one proposer, as long as proposers keep
   their rounds. No message is lost, but none need be received. A decision is known to all who have seen the votes.  *)
EXTENDS Naturals, FiniteSets, TLC

CONSTANTS
  Ballots,      \* numbers
  Reuse,        \* TRUE: an attempt may have the ballot of an earlier one
  Losses,       \* number of disks that are lost
  VoterId,      \* who may vote: "life" (node and life of its directory) or "node" (whoever has the name)
  Prepare,      \* FALSE: a proposer sends its layout at once, without asking what others have begun
  Electorate,   \* who votes: those named in the version "before", or in the layout that is "proposed"
  All,          \* TRUE: the nodes of all voters decide, too, whatever the lives of their directories
  Restored,     \* TRUE: all nodes begin with another life than version 1 names
  Versions      \* {2} or {2, 3}

VARIABLES msgs, promised, accepted, life, losses
vars == <<msgs, promised, accepted, life, losses>>

Nodes == 1..4
First == {<<1, 0>>, <<2, 0>>, <<3, 0>>}
\* what may follow version 1: the same voters (a joint layout), 4 in the place of 3, 2 with its second life; then others
Voters == [g |-> First, a |-> First, b |-> {<<1, 0>>, <<2, 0>>, <<4, 0>>}, e |-> {<<1, 0>>, <<2, 1>>, <<3, 0>>},
           c |-> First, d |-> {<<1, 0>>, <<2, 0>>}]
Contents(i) == IF i = 2 THEN (IF Losses = 0 THEN {"a", "b"} ELSE {"a", "b", "e"}) ELSE {"c", "d"}

Named(base, v) == IF Electorate = "before" THEN Voters[base] ELSE Voters[v]
Ids(S) == {p[1] : p \in S}
Who(S) == IF VoterId = "life" THEN S ELSE Ids(S)
Majority(S, base, v) == 2 * Cardinality(Who(S) \cap Who(Named(base, v))) > Cardinality(Named(base, v))
Enough(S, base, v) == Majority(S, base, v) \/ (All /\ Ids(Named(base, v)) \subseteq Ids(S))
May(n, base, v) == Who({<<n, life[n]>>}) \subseteq Who(Named(base, v)) \/ (All /\ n \in Ids(Named(base, v)))

Sent(t, i, b) == {m \in msgs : m.t = t /\ m.i = i /\ m.b = b}
VotesFor(i, base, b, v) == {<<m.n, m.l>> : m \in {x \in Sent("2b", i, b) : x.base = base /\ x.v = v}}
Decided(i, base, v) == \E b \in Ballots : Enough(VotesFor(i, base, b, v), base, v)
Bases(i) == IF i = 2 THEN {"g"} ELSE {v \in Contents(2) : Decided(2, "g", v)}

Init ==
  /\ msgs = {} /\ life = [n \in Nodes |-> IF Restored THEN 1 ELSE 0] /\ losses = 0
  /\ promised = [n \in Nodes |-> [i \in Versions |-> 0]]
  /\ accepted = [n \in Nodes |-> [i \in Versions |-> <<0, "-">>]]

\* A proposer asks for promises; v is its wish.
Ask(i, b, base, v) ==
  /\ (Reuse \/ Sent("1a", i, b) = {}) /\ base \in Bases(i)
  /\ msgs' = msgs \cup {[t |-> "1a", i |-> i, b |-> b, base |-> base, v |-> v]}
  /\ UNCHANGED <<promised, accepted, life, losses>>

Promise(n, m) ==
  /\ m.t = "1a" /\ May(n, m.base, m.v) /\ m.b > promised[n][m.i]
  /\ promised' = [promised EXCEPT ![n][m.i] = m.b]
  /\ msgs' = msgs \cup {[t |-> "1b", i |-> m.i, b |-> m.b, base |-> m.base, n |-> n, l |-> life[n],
                          ab |-> accepted[n][m.i][1], av |-> accepted[n][m.i][2]]}
  /\ UNCHANGED <<accepted, life, losses>>

Propose(i, b) ==
  /\ (Reuse \/ Sent("2a", i, b) = {})
  /\ \E m \in Sent("1a", i, b) :
       LET said == Sent("1b", i, b)
           top == CHOOSE x \in said : \A y \in said : y.ab <= x.ab
           v == IF ~Prepare \/ said = {} \/ top.ab = 0 THEN m.v ELSE top.av
       IN /\ Prepare => Enough({<<x.n, x.l>> : x \in said}, m.base, m.v)
          /\ msgs' = msgs \cup {[t |-> "2a", i |-> i, b |-> b, base |-> m.base, v |-> v]}
  /\ UNCHANGED <<promised, accepted, life, losses>>

Accept(n, m) ==
  /\ m.t = "2a" /\ May(n, m.base, m.v) /\ m.b >= promised[n][m.i] /\ accepted[n][m.i] # <<m.b, m.v>>
  /\ promised' = [promised EXCEPT ![n][m.i] = m.b]
  /\ accepted' = [accepted EXCEPT ![n][m.i] = <<m.b, m.v>>]
  /\ msgs' = msgs \cup {[t |-> "2b", i |-> m.i, b |-> m.b, base |-> m.base, v |-> m.v, n |-> n, l |-> life[n]]}
  /\ UNCHANGED <<life, losses>>

DiskLoss(n) ==
  /\ losses < Losses /\ losses' = losses + 1
  /\ life' = [life EXCEPT ![n] = @ + 1]
  /\ promised' = [promised EXCEPT ![n] = [i \in Versions |-> 0]]
  /\ accepted' = [accepted EXCEPT ![n] = [i \in Versions |-> <<0, "-">>]]
  /\ UNCHANGED msgs

Next ==
  \/ \E i \in Versions, b \in Ballots : Propose(i, b) \/ \E base \in {"g"} \cup Contents(2), v \in Contents(i) : Ask(i, b, base, v)
  \/ \E n \in Nodes : DiskLoss(n) \/ \E m \in msgs : Promise(n, m) \/ Accept(n, m)

Spec == Init /\ [][Next]_vars

-------------------------------------------------------------------------------
OneLayout == \A i \in Versions : Cardinality({<<base, v>> \in ({"g"} \cup Contents(2)) \X Contents(i) : Decided(i, base, v)}) <= 1
===============================================================================
