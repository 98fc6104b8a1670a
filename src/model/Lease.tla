-------------------------------- MODULE Lease --------------------------------
(* Values that expire, used as leases: who judges the expiry by which clock, and when its holder must stop to believe.

   The key is one atomic register (Register.tla): an operation begins, takes effect at one instant, or never, and is
   answered, or never; each of these as late as can be, so coordinators that pause and messages that are late need no
   steps of their own, nor do clients that give up. A touch may take effect any number of times before it is answered.

   True time goes in ticks. Members' readings: fewer than half are wrong by anything up to Off, each time anew, the
   others by at most Err (D and the age of the sample in one: Estimate.tla). A client's clock only matters by how much it
   is slow in the time of a lease: Slip. Nodes keep nothing but the register, so a restart is no step (but of "hybrid").

   A keep is a conditional PUT with `ttl=keep` by the holder, on the version that it knows: a new version, the same lease,
   the expiry of what it replaces. A write is a PUT with a ttl and without a condition: it replaces whatever it finds.

   Left out: values, writes whose expiry is by one node's clock (`consistency=quorum`), purge, more than one key. An
   operation begins when its client sends it: if it arrives later, its lease only lasts longer.                        *)
EXTENDS Integers, FiniteSets

CONSTANTS
  Creates, Touches, Keeps, Releases, Gets,   \* operations; o \div 10 is the client
  Plains, Writes,   \* quorum reads that settle nothing; unconditional writes
  MaxTime, Ttl,
  Members, Heard,   \* clocks of the cluster; readings that the estimating node has, its own among them
  Err, Off,         \* by how much a right reading is wrong; a wrong one
  EstRule,          \* "median" (lower middle of all heard), "agree" (only if a majority of the members lies within 2 * Err),
                    \* "middle" (of the tightest majority, only if it is within 2 * Err), "own" (one clock), "hybrid" (as it was),
                    \* "paused" (the machine was paused with its clocks: low by anything when a request begins, right later)
  E,                \* the claimed bound of an estimate
  C,                \* leases end at their due time +- C * E
  Margin, Slip,     \* the holder stops so much before the end; its clock may be slow by so much
  BelieveFrom,      \* "sent" (the instant before it sent), "answer"
  ExpiresFrom,      \* "begin" (the estimate when the request began), "first" (one of the first round that may propose),
                    \* "effect" (one of the round in which it takes effect)
  JudgeBy,          \* "round" (the coordinator's estimate of any time between begin and effect), "replica" (one clock, at the effect)
  Settles,          \* operations that replace what they find expired by a tombstone before they say so
  LookFirst,        \* operations that judge when they look, and take effect on the same version without judging again
  TouchRule,        \* "max" (a touch never shortens), "set" (the later effect wins)
  TouchVersion,     \* "keep", "new"
  TouchMatch,       \* a touch acts on "version" (the one that it names), "any", "former" (also on what has replaced that one)
  KeepFrom,         \* a keep has the expiry of "base" (what its round replaces), "look" (what it saw at first)
  KeepExpired,      \* a keep of what has expired is "unmet", or goes by the version alone and then "never" expires
  KeepBelieves      \* the holder counts anew from a keep

VARIABLES
  t,      \* true time
  reg,    \* the register: ver (ETag), par (the one before), exp; for the properties: own (the create or write of this value),
          \* due (true end), 0: absent
  op,     \* of each operation, see Fresh
  who,    \* of each client: own (the create of its lease), tag (the ETag it knows), until (it believes, in true time)
  dead,   \* leases that an answer has said to be expired
  gone,   \* leases that a write has replaced
  hyb, durable,  \* hybrid time of all, and what a restart leaves of it; only with "hybrid"
  bad     \* what has gone wrong
vars == <<t, reg, op, who, dead, gone, hyb, durable, bad>>

Kinds == {Creates, Touches, Keeps, Releases, Gets, Plains, Writes}
Ops == UNION Kinds
Client(o) == o \div 10
Clients == {Client(o) : o \in Ops}
Max(a, b) == IF a > b THEN a ELSE b
Never == 99
Absent == [ver |-> 0, par |-> 0, exp |-> 0, own |-> 0, due |-> 0]
None == [own |-> 0, tag |-> 0, until |-> 0]
\* st: "new", "sent", "look", "done" (took effect, not answered), "end". now: estimate; at: true begin; fix: true time from which
\* its time to live counts; tag, own: of its lease; pre: leases known as expired when it began; says: the lease that its answer calls expired;
\* saw: the version, or the expiry, that it looked at.
Fresh == [st |-> "new", now |-> 0, at |-> 0, fix |-> -1, tag |-> 0, own |-> 0, pre |-> {}, says |-> 0, saw |-> 0]
End == [Fresh EXCEPT !.st = "end"]

\* ---------------- estimates: by how much they can be wrong ----------------
Right == -Err..Err
Any == -Off..Off
Readings == {r \in [1..Heard -> Any] : 2 * Cardinality({i \in 1..Heard : r[i] \notin Right}) < Members}
In(r, lo, hi) == Cardinality({i \in 1..Heard : lo <= r[i] /\ r[i] <= hi})
Median(r) == CHOOSE v \in {r[i] : i \in 1..Heard} :
               In(r, -Off, v - 1) < (Heard + 1) \div 2 /\ In(r, -Off, v) >= (Heard + 1) \div 2
Majorities(r) == {w \in {r[i] : i \in 1..Heard} \X {r[i] : i \in 1..Heard} :
                    w[1] <= w[2] /\ w[2] - w[1] <= 2 * Err /\ 2 * In(r, w[1], w[2]) > Members}
Tightest(r) == {w \in Majorities(r) : \A x \in Majorities(r) : w[2] - w[1] <= x[2] - x[1]}
Errors == CASE EstRule = "median" -> {Median(r) : r \in Readings}
            [] EstRule = "agree"  -> {Median(r) : r \in {x \in Readings : Majorities(x) # {}}}
            [] EstRule = "middle" -> UNION {{(w[1] + w[2]) \div 2 : w \in Tightest(r)} : r \in Readings}
            [] EstRule = "paused" -> -Off..Err
            [] OTHER              -> Any
Later == {t + x : x \in IF EstRule = "paused" THEN Right ELSE Errors}
Estimates == IF EstRule = "hybrid" THEN {Max(hyb, t + x) : x \in Any} ELSE {t + x : x \in Errors}
Stamped(n, o) == IF EstRule = "hybrid"
                 THEN hyb' = n /\ durable' = IF o \in Creates \cup Touches \cup Releases THEN n ELSE durable
                 ELSE UNCHANGED <<hyb, durable>>

Init ==
  /\ t = 0 /\ reg = Absent /\ dead = {} /\ gone = {} /\ hyb = 0 /\ durable = 0 /\ bad = {}
  /\ op = [o \in Ops |-> Fresh]
  /\ who = [c \in Clients |-> None]

\* The first operation begins at 0.
Tick ==
  /\ t < MaxTime /\ \E o \in Ops : op[o].st # "new"
  /\ t' = t + 1
  /\ UNCHANGED <<reg, op, who, dead, gone, hyb, durable, bad>>

Restart ==
  /\ EstRule = "hybrid" /\ hyb # durable
  /\ hyb' = durable
  /\ UNCHANGED <<t, reg, op, who, dead, gone, durable, bad>>

Believes(c) == t < who[c].until

\* Whether an instant between the begin and the first proposal decides when it expires.
Fixes(o) == ExpiresFrom = "first" /\ o \in Creates \cup Touches \cup Writes

\* Operations of one client and kind differ in nothing, so they begin in the order of their numbers.
Begin(o) ==
  LET c == Client(o) w == who[c] IN
  /\ op[o].st = "new"
  /\ \A p \in Ops : p < o /\ Client(p) = c /\ (\E K \in Kinds : {o, p} \subseteq K)
                    => op[p].st # "new"
  /\ o \in Creates => w.own = 0
  /\ o \in Touches \cup Keeps \cup Releases => w.own # 0
  /\ \E n \in IF Fixes(o) THEN {0} ELSE Estimates :
       /\ op' = [op EXCEPT ![o] = [Fresh EXCEPT !.st = "sent", !.now = n, !.at = t, !.fix = IF Fixes(o) THEN -1 ELSE t,
                                                  !.tag = w.tag, !.own = w.own, !.pre = dead]]
       /\ Stamped(n, o)
  /\ who' = IF o \in Releases THEN [who EXCEPT ![c] = None] ELSE who
  /\ UNCHANGED <<t, reg, dead, gone, bad>>

\* A majority has promised its first round.
Fix(o) ==
  /\ op[o].st = "sent" /\ op[o].fix = -1
  /\ \E n \in Later : op' = [op EXCEPT ![o].now = n, ![o].fix = t]
  /\ UNCHANGED <<t, reg, who, dead, gone, hyb, durable, bad>>

\* Only with LookFirst: it finds the register expired, and goes on later by the version alone.
Look(o) ==
  /\ op[o].st = "sent" /\ o \in LookFirst /\ reg.ver # 0 /\ reg.exp <= op[o].now
  /\ op' = [op EXCEPT ![o].st = "look", ![o].saw = reg.ver]
  /\ UNCHANGED <<t, reg, who, dead, gone, hyb, durable, bad>>

\* Only with KeepFrom = "look".
LookKeep(o) ==
  /\ KeepFrom = "look" /\ o \in Keeps /\ op[o].st = "sent" /\ reg.ver = op[o].tag /\ op[o].saw = 0
  /\ op' = [op EXCEPT ![o].saw = reg.exp]
  /\ UNCHANGED <<t, reg, who, dead, gone, hyb, durable, bad>>

Wrong(o, expired, alive, acts, frees) ==
  {x \in {"early", "forever", "again", "kept", "other"} :
     \/ x = "early" /\ expired /\ t < reg.due - C * E
     \/ x = "forever" /\ alive /\ op[o].at >= reg.due + C * E
     \/ x = "again" /\ alive /\ reg.own \in op[o].pre
     \/ x = "kept" /\ alive /\ o \in Releases /\ reg.own = op[o].own /\ ~frees
     \/ x = "other" /\ acts /\ o \in Touches \cup Keeps \cup Releases /\ reg.own # op[o].own}

\* It takes effect, judged by the estimate n.
Effect(o, n) ==
  LET p == op[o]
      expired == reg.ver # 0 /\ (reg.exp <= n \/ (p.st = "look" /\ p.saw = reg.ver))
      alive == reg.ver # 0 /\ ~expired
      mine == \/ alive /\ reg.ver = p.tag
              \/ alive /\ o \in Touches /\ (TouchMatch = "any" \/ (TouchMatch = "former" /\ reg.par = p.tag))
              \/ o \in Keeps /\ KeepExpired = "never" /\ reg.ver # 0 /\ reg.ver = p.tag
      exp == (IF ExpiresFrom = "effect" THEN n ELSE p.now) + Ttl
      due == p.fix + Ttl
      former == IF TouchMatch = "former" THEN reg.ver ELSE 0
      ok == \/ o \in Creates /\ ~alive
            \/ o \in Touches \cup Keeps \cup Releases /\ mine
            \/ o \in Writes
      next == CASE ok /\ o \in Creates \cup Writes -> [ver |-> o, par |-> former, exp |-> exp, own |-> o, due |-> due]
                [] ok /\ o \in Keeps -> [reg EXCEPT !.ver = o, !.par = former,
                                         !.exp = IF expired THEN Never ELSE IF KeepFrom = "look" THEN p.saw ELSE reg.exp]
                [] ok /\ o \in Touches -> [ver |-> IF TouchVersion = "keep" THEN reg.ver ELSE o, par |-> reg.par, own |-> reg.own,
                                           exp |-> IF TouchRule = "max" THEN Max(reg.exp, exp) ELSE exp, due |-> Max(reg.due, due)]
                [] ok /\ o \in Releases -> Absent
                [] ~ok /\ expired /\ o \in Settles -> Absent
                [] OTHER -> reg
      says == IF expired /\ o \notin Plains \cup Writes /\ (ok => o \in Creates) THEN reg.own ELSE 0
      done == IF says # 0 \/ (ok /\ o \notin Releases \cup Writes)
              THEN [Fresh EXCEPT !.st = "done", !.at = p.at, !.own = IF ok /\ o \in Creates THEN o ELSE p.own,
                                 !.tag = IF ok THEN next.ver ELSE 0, !.says = says]
              ELSE End
  IN /\ p.st \in {"sent", "look"} /\ p.fix # -1
     /\ o \in Keeps /\ KeepFrom = "look" => p.saw # 0
     /\ reg' = next
     /\ gone' = IF o \in Writes /\ reg.ver # 0 THEN gone \cup {reg.own} ELSE gone
     /\ bad' = IF o \in Writes THEN bad ELSE bad \cup Wrong(o, expired, alive, ok, next = Absent)
     /\ \/ op' = [op EXCEPT ![o] = done]
        \/ o \in Touches /\ ok /\ op' = op
     /\ UNCHANGED <<t, who, dead, hyb, durable>>

\* What a client does not hear of is never answered. Success: tag # 0.
Answer(o) ==
  LET p == op[o]
      c == Client(o)
      renews == o \notin Keeps \/ KeepBelieves
      until == IF ~renews THEN 0 ELSE (IF BelieveFrom = "sent" THEN p.at ELSE t) + Ttl - Margin + Slip
      heeds == p.tag # 0 /\ IF o \in Creates THEN who[c].own = 0 /\ \A q \in Creates : q > o /\ Client(q) = c => op[q].st = "new"
                            ELSE who[c].own = p.own
  IN /\ p.st = "done"
     /\ op' = [op EXCEPT ![o] = End]
     /\ dead' = IF p.says # 0 THEN dead \cup {p.says} ELSE dead
     /\ who' = IF heeds THEN [who EXCEPT ![c] = [own |-> p.own, until |-> Max(@.until, until),
                                                 tag |-> IF o \in Touches /\ TouchVersion = "keep" THEN @.tag ELSE p.tag]]
                ELSE who
     /\ UNCHANGED <<t, reg, gone, hyb, durable, bad>>

\* The coordinator's estimate of the begin, or a fresh one of a later round; with hybrid time: the stamp. A write judges nothing.
Judged(o) == CASE o \in Writes           -> {op[o].now}
               [] JudgeBy = "replica" -> {t + x : x \in Any}
               [] EstRule = "hybrid"  -> {op[o].now}
               [] OTHER               -> Later \cup (IF ExpiresFrom = "effect" THEN {} ELSE {op[o].now})
                                            \cup (IF Fixes(o) /\ EstRule = "paused" THEN {op[o].at - Off} ELSE {})

Next ==
  \/ Tick \/ Restart
  \/ \E o \in Ops : Begin(o) \/ Fix(o) \/ Look(o) \/ LookKeep(o) \/ Answer(o) \/ \E n \in Judged(o) : Effect(o, n)

Spec == Init /\ [][Next]_vars

-------------------------------------------------------------------------------
EstimateOk == \A n \in Estimates : t - E <= n /\ n <= t + E
OneHolder == \A c, d \in Clients : Believes(c) /\ Believes(d) => c = d
\* With unconditional writes: who believes besides another has been replaced by one, or the other has.
OneHolderUnlessReplaced ==
  \A c, d \in Clients : Believes(c) /\ Believes(d) => c = d \/ who[c].own \in gone \/ who[d].own \in gone
\* A touch, a keep or a release never acts on the value of another.
OnlyOwn == "other" \notin bad
\* Of linearizable requests, and of all reads after a settled answer.
NeverLivesAgain == "again" \notin bad
\* No request sees a lease expired before its true end - C * E, be it of the create or of a touch that took effect: + Ttl from its
\* begin, with ExpiresFrom = "first" from its first round ...
NoEarlyEnd == "early" \notin bad
\* ... and none that began after its true end + C * E sees it alive.
NotForEver == "forever" \notin bad
TouchKeepsVersion == reg.ver \notin Touches
\* A release by the ETag that its client knows frees the key, if the lease is still that of its client.
ReleaseFrees == "kept" \notin bad
===============================================================================
