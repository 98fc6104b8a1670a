------------------------------- MODULE Estimate -------------------------------
(* How far a node's estimate of the time can be from the true one: the bound E that Lease.tla builds on.

   Node 1 of three members has its own clock and the peers' clocks as their answers to keep-alives gave them, aged by its
   monotonic clock. A right clock is within D of true time; a wrong one may show anything and jump. An answer may be late
   by any time. The machine may be suspended (its wall clock goes on), or paused with all its clocks (its wall clock is
   late afterwards, so it is the one that is wrong). All values are differences to true time, so a run has no end.

   A request begins at any instant. The expiry of a lease is the estimate after a majority of the members has answered it,
   this node among them: Since = "heard". A reading that is far from the one before of the same clock drops those of all
   other peers, because the machine may have been paused: Drops.

   Left out: drift of the monotonic clock within Age (add it to Error), other numbers of members (Lease.tla has them).  *)
EXTENDS Integers, FiniteSets

CONSTANTS
  D, Off,
  Delay,      \* longest round trip, by the own monotonic clock, of an answer that is taken
  Late,       \* true ticks after which an answer is lost
  Age,        \* an answer is used so long
  Window,     \* a clock goes wrong only if no other was wrong in the last so many ticks
  Rule,       \* "lower" (lower middle of whom it has, as it was), "middle" (of the tightest majority, if within 2 * Error)
  Error, E,   \* of one reading of a right clock; claimed for the estimate
  Mono,       \* the monotonic clock while suspended: "goes" (CLOCK_BOOTTIME), "stands" (System.nanoTime)
  Suspends, Pauses,  \* true ticks in all
  Since,      \* what the estimate must not be before, less E: "now", "asked" (the oldest question that it uses), "heard" (the
              \* begin of a request that a majority has answered since), "fresh" (the same, of readings that it has asked for alone)
  Wait,       \* true ticks that a request takes at most
  Drops,      \* readings of others are dropped when one is more than Same from the one before: "never", if that can still be
              \* used ("recent"), whenever there was one ("ever"), also if there was none, with the answers under way ("all")
  Same,
  Known       \* both peers were heard before it begins

VARIABLES err, quiet, pong, got, suspended, paused, req
vars == <<err, quiet, pong, got, suspended, paused, req>>

Nodes == 1..3
Peers == 2..3
Nothing == [err |-> 0, age |-> -1, asked |-> 0]
Just == [err |-> 0, age |-> 0, asked |-> 0]
Idle == [for |-> -1, heard |-> {}]
Requests == Since \in {"heard", "fresh"}
Abs(x) == IF x < 0 THEN -x ELSE x
Min(a, b) == IF a < b THEN a ELSE b
\* Right clocks stand at the ends of what is tolerated. quiet: ticks since the clock was wrong.
Init ==
  /\ err \in [Nodes -> {-D, D}]
  /\ quiet = [n \in Nodes |-> Window + 1]
  /\ pong = [n \in Peers |-> Nothing]
  /\ got = [n \in Peers |-> IF Known THEN Just ELSE Nothing]
  /\ suspended = 0 /\ paused = 0 /\ req = Idle

Wrong == {n \in Nodes : quiet[n] = 0}
\* What a reading has to say of its question: nothing; its age; whether the request that runs is older (0) or younger (1).
Asked(x) == CASE Since = "asked" -> x
              [] Since = "fresh" -> IF x <= req.for THEN 0 ELSE 1
              [] OTHER -> 0
Usable(g) == 0 <= g.age /\ g.age <= Age
\* A tick of true time, in which the monotonic clock goes by m and the clocks of W are wrong. An answer under way falls
\* behind; one that was received is aged by the monotonic clock.
Pass(m, W) ==
  /\ quiet' = [n \in Nodes |-> IF n \in W THEN 0 ELSE Min(quiet[n] + 1, Window + 1)]
  /\ pong' = [n \in Peers |-> IF pong[n] = Nothing \/ pong[n].asked = Late THEN Nothing
                              ELSE [err |-> pong[n].err - 1, age |-> pong[n].age + m, asked |-> pong[n].asked + 1]]
  /\ got' = [n \in Peers |-> IF got[n] = Nothing \/ (got[n].age + m > Age /\ Drops \in {"never", "recent"}) THEN Nothing
                             ELSE [err |-> got[n].err + m - 1, age |-> Min(got[n].age + m, Age + 1),
                                   asked |-> IF Since = "asked" THEN got[n].asked + 1 ELSE got[n].asked]]
  /\ req' = IF req = Idle \/ req.for = Wait THEN Idle ELSE [req EXCEPT !.for = @ + 1]
Tick == Pass(1, Wrong) /\ UNCHANGED <<err, suspended, paused>>
Suspend ==
  /\ suspended < Suspends /\ Pass(IF Mono = "goes" THEN 1 ELSE 0, Wrong)
  /\ suspended' = suspended + 1
  /\ UNCHANGED <<err, paused>>

MayGoWrong(n) == \A m \in Nodes \ {n} : quiet[m] > Window
Pause ==
  /\ paused < Pauses /\ MayGoWrong(1) /\ Pass(0, {1})
  /\ paused' = paused + 1
  /\ err' = [err EXCEPT ![1] = @ - 1]
  /\ UNCHANGED suspended
Jump(n, x) ==
  /\ MayGoWrong(n) /\ err' = [err EXCEPT ![n] = x] /\ quiet' = [quiet EXCEPT ![n] = 0]
  /\ UNCHANGED <<pong, got, suspended, paused, req>>
Mend(n) ==
  /\ quiet[n] = 0 /\ \E x \in {-D, D} : err' = [err EXCEPT ![n] = x]
  /\ quiet' = [quiet EXCEPT ![n] = 1]
  /\ UNCHANGED <<pong, got, suspended, paused, req>>

\* One keep-alive at a time: answered at once by the clock of the peer, received then or late.
Ask(n) ==
  /\ pong[n] = Nothing
  /\ pong' = [pong EXCEPT ![n] = [err |-> err[n], age |-> 0, asked |-> 0]]
  /\ UNCHANGED <<err, quiet, got, suspended, paused, req>>
Receive(n) ==
  /\ pong[n] # Nothing
  /\ LET jumps == CASE Drops = "never" -> FALSE
                    [] got[n] = Nothing -> Drops = "all"
                    [] OTHER -> Abs(pong[n].err - got[n].err) > Same /\ (Drops = "recent" => Usable(got[n]))
         dropped == [x \in Peers |-> IF Drops = "recent" \/ got[x] = Nothing THEN Nothing ELSE [got[x] EXCEPT !.age = Age + 1]]
         kept == IF jumps THEN dropped ELSE got
     IN /\ got' = IF pong[n].age <= Delay
               THEN [kept EXCEPT ![n] = [err |-> pong[n].err, age |-> 0, asked |-> Asked(pong[n].asked)]] ELSE kept
        /\ pong' = IF jumps /\ Drops = "all" THEN [x \in Peers |-> Nothing] ELSE [pong EXCEPT ![n] = Nothing]
  /\ req' = IF req # Idle /\ pong[n].asked <= req.for /\ Since = "heard" THEN [req EXCEPT !.heard = @ \cup {n}] ELSE req
  /\ UNCHANGED <<err, quiet, suspended, paused>>
\* What was asked in the tick of its begin counts as asked before.
Request ==
  /\ Requests /\ req = Idle
  /\ req' = [for |-> 0, heard |-> {}]
  /\ pong' = [n \in Peers |-> IF pong[n] = Nothing THEN Nothing ELSE [pong[n] EXCEPT !.asked = Min(@ + 1, Late)]]
  /\ got' = IF Since = "fresh" THEN [n \in Peers |-> IF got[n] = Nothing THEN Nothing ELSE [got[n] EXCEPT !.asked = 1]] ELSE got
  /\ UNCHANGED <<err, quiet, suspended, paused>>

Next ==
  \/ Tick \/ Suspend \/ Pause \/ Request
  \/ \E n \in Nodes : Mend(n) \/ \E x \in {-Off, Off} : Jump(n, x)
  \/ \E n \in Peers : Ask(n) \/ Receive(n)
Spec == Init /\ [][Next]_vars

-------------------------------------------------------------------------------
Has == {1} \cup {n \in Peers : Usable(got[n]) /\ (Since = "fresh" => got[n].asked = 0)}
Reading(n) == IF n = 1 THEN err[1] ELSE got[n].err
In(lo, hi) == Cardinality({n \in Has : lo <= Reading(n) /\ Reading(n) <= hi})
Lower == CHOOSE v \in {Reading(n) : n \in Has} :
           In(-99, v - 1) < (Cardinality(Has) + 1) \div 2 /\ In(-99, v) >= (Cardinality(Has) + 1) \div 2
Majorities == {w \in {Reading(n) : n \in Has} \X {Reading(n) : n \in Has} :
                 w[1] <= w[2] /\ w[2] - w[1] <= 2 * Error /\ 2 * In(w[1], w[2]) > Cardinality(Nodes)}
Estimates == IF Rule = "lower" THEN {Lower}
             ELSE {(w[1] + w[2]) \div 2 : w \in {x \in Majorities : \A y \in Majorities : x[2] - x[1] <= y[2] - y[1]}}
\* True ticks since the oldest question, or the begin of the request: 0 with Since = "now".
Back == IF Requests THEN req.for ELSE IF Has = {1} THEN 0 ELSE CHOOSE s \in {got[n].asked : n \in Has \ {1}} : \A n \in Has \ {1} : s >= got[n].asked
Used == CASE Since = "heard" -> req.heard # {}
          [] Since = "fresh" -> req # Idle
          [] OTHER -> TRUE
WithinE == Used => \A x \in Estimates : x <= E /\ x >= -E - Back
===============================================================================
