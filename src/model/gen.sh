#!/usr/bin/env bash
# Writes every .cfg, one call each, so that all of them can be compared at a glance. A name says which rule is left out or
# which faults there are; the second word is the expected result: "ok", or the property that must break. What follows
# overrides constants of the complete set of rules.
set -euo pipefail
cd "$(dirname "$0")"
rm -f ./*.cfg
SAFE="INVARIANTS NoResurrection NothingLost SomebodyKnows"
LIVE="PROPERTIES Settles"
T=TRUE; F=FALSE
config() {
  local name=$1 expect=$2 check=$3 spec=$4; shift 4
  local MarkBy='"both"' MarkAt='"begin"' Whole=$T Again='"first"' Known='"new"' LeaveOut=$T PurgeWaits=$T VoidOnLoss=$T
  local FenceHints=$T HintWindow=$T AmnesiacHints=$F FenceStream=$T RebuildFrom=2 MergeBack='"horizon"' AwayRule='"declared"'
  local MaxDown=0 MaxLost=0 MaxDeclared=0 MaxReads=0 MaxOpen=1 OtherKey=$F OwedPut=$F Deletes=$T
  local "$@"
  {
    echo "\\* expect: $expect"
    echo "SPECIFICATION $spec"
    echo "$check"
    if [ "$spec" = Spec ]; then echo "SYMMETRY Symmetry"; fi
    echo CONSTANTS
    echo "  Nodes = {n1, n2, n3}"
    local constant
    for constant in MarkBy MarkAt Whole Again Known LeaveOut PurgeWaits VoidOnLoss FenceHints HintWindow AmnesiacHints \
        FenceStream RebuildFrom MergeBack AwayRule MaxDown MaxLost MaxDeclared MaxReads MaxOpen OtherKey OwedPut Deletes; do
      echo "  $constant = ${!constant}"
    done
  } > "$name.cfg"
}
safe() { local name=$1 expect=$2; shift 2; config "Tombstone_$name" "$expect" "$SAFE" Spec "$@"; }
live() { local name=$1 expect=$2; shift 2; config "Tombstone_$name" "$expect" "$LIVE" FairSpec "$@"; }

# The complete set of rules, by faults
safe quiet          ok             OwedPut=$T
safe open           ok             MaxOpen=2
safe reads          ok             MaxReads=1
safe away           ok             MaxDown=1 OwedPut=$T
safe disk           ok             MaxLost=1
safe diskOther      ok             MaxLost=1 OtherKey=$T
safe declared       ok             MaxDown=1 MaxDeclared=1
safe other          ok             MaxReads=1 OtherKey=$T
# One rule left out
safe bySequence     NoResurrection MarkBy='"sequence"'
safe byInstant      NoResurrection MarkBy='"instant"'
safe atEnd          NoResurrection MarkAt='"end"'
safe notWhole       NoResurrection Whole=$F
safe noWait         NoResurrection PurgeWaits=$F MaxReads=1
safe noVoid         NoResurrection VoidOnLoss=$F MaxLost=1 FenceHints=$F HintWindow=$F OwedPut=$T AmnesiacHints=$T
safe noFence        NoResurrection FenceHints=$F HintWindow=$F OwedPut=$T
safe noStreamFence  NoResurrection FenceStream=$F MaxDown=1
safe mergeAll       NoResurrection MergeBack='"all"' MaxLost=1
safe rebuildFrom1   NoResurrection RebuildFrom=1 MaxLost=1
safe declaredMerge  NoResurrection AwayRule='"merge"' MaxDown=1 MaxDeclared=1
safe declaredRounds NoResurrection AwayRule='"horizon"' MaxDown=1 MaxDeclared=1
# What a tombstone not newer than the receiver's horizon counts as when nothing is held
safe knownAll       NoResurrection Known='"all"' MaxReads=1 OtherKey=$T
safe knownSender    ok             Known='"sender"' MaxReads=1 OtherKey=$T
# Liveness
live settle         ok             x=x
live settleAgain    liveness       Again='"new"'
live settleKnown    ok             Known='"sender"'
live pingPong       liveness       LeaveOut=$F

# The decisions: ballots, attempts with the ballot of another, lost disks, voters, promises before votes
decide() {
  local name=$1 expect=$2
  shift 2
  local Ballots='{1, 2}' Reuse=$F Losses=0 VoterId='"life"' Prepare=$T Electorate='"before"' All=$F Restored=$F Versions='{2}'
  local "$@"
  {
    echo "\\* expect: $expect"
    echo "SPECIFICATION Spec"
    echo "INVARIANT OneLayout"
    echo CONSTANTS
    local constant
    for constant in Ballots Reuse Losses VoterId Prepare Electorate All Restored Versions; do echo "  $constant = ${!constant}"; done
  } > "Config_$name.cfg"
}
decide ok           ok             Losses=1
decide three        ok             Ballots='{1, 2, 3}'
decide chain        ok             Versions='{2, 3}'
decide all          ok             Losses=1 All=$T
decide restored     ok             Losses=1 All=$T Restored=$T
decide byName       OneLayout      Losses=1 VoterId='"node"'
decide noPrepare    OneLayout      Losses=1 Prepare=$F
decide proposed     OneLayout      Electorate='"proposed"'
decide reuse        OneLayout      Reuse=$T

# Requests while replicas change: a replaced member, if nothing else is given
replicas() {
  local name=$1 expect=$2 check=$3
  shift 3
  local Old='{n1, n2, n3}' New='{n1, n2, n4}' Dead='{}' Writes='{1}' Readers='{r1, r2}' WOld=2 ROld=2 WNew=2 RNew=2
  local Fence=$T OwnOnly=$T WriteJoint='"both"' ReadJoint='"both"' HoldJoint='"both"' Barrier=$T CopyWhen='"source"'
  local CopyWho='"rule"' From='"all"' Abort=$F DiskLosses=0
  [ $# = 0 ] || local "$@"
  {
    echo "\\* expect: $expect"
    echo "SPECIFICATION Spec"
    echo "INVARIANTS $check"
    echo "SYMMETRY Symmetry"
    echo CONSTANTS
    local constant
    for constant in n1 n2 n3 n4 r1 r2; do
      case "$Old $New $Dead $Readers" in *$constant*) echo "  $constant = $constant" ;; esac
    done
    for constant in Old New Dead Writes Readers WOld ROld WNew RNew Fence OwnOnly WriteJoint ReadJoint HoldJoint Barrier CopyWhen \
        CopyWho From Abort DiskLosses; do
      echo "  $constant = ${!constant}"
    done
  } > "Layout_$name.cfg"
}
both="ReadSeesAcked Monotonic"
P1=ReadSeesAcked
replicas join       ok        "$both"
replicas abort      ok        "$both" Abort=$T
replicas dead       ok        "$both" Dead='{n3}' Abort=$T
replicas twoWrites  ok        "$both" Writes='{1, 2}' Readers='{r1}'
replicas W3R1       ok        $P1     WOld=3 ROld=1 WNew=3 RNew=1
replicas W1R3       ok        "$both" WOld=1 ROld=3 WNew=1 RNew=3
replicas shrink     ok        "$both" New='{n1, n2}' Dead='{n3}' WNew=1
replicas up         ok        "$both" Old='{n1}' New='{n1, n2, n3}' WOld=1 ROld=1
replicas down       ok        "$both" New='{n1}' WNew=1 RNew=1
replicas disk       ok        "$both" Readers='{r1}' DiskLosses=1
# One rule left out
replicas noFence    $P1       "$both" Fence=$F
replicas takesEarly $P1       "$both" OwnOnly=$F
replicas writeOld   $P1       "$both" WriteJoint='"old"'
replicas writeNew   $P1       "$both" WriteJoint='"new"'
replicas readOld    $P1       "$both" ReadJoint='"old"'
replicas readNew    $P1       "$both" ReadJoint='"new"'
replicas holdOld    Monotonic "$both" HoldJoint='"old"'
replicas noBarrier  $P1       "$both" New='{n1, n2}' Dead='{n3}' WNew=1 Barrier=$F
replicas copyEarly  $P1       "$both" CopyWhen='"any"'
replicas copyOne    $P1       "$both" CopyWho='"one"'
replicas noCopy     $P1       "$both" CopyWho='"none"'
replicas downGain   $P1       "$both" New='{n1}' WNew=1 RNew=1 CopyWho='"gainers"'
replicas upNumber   $P1       "$both" Old='{n1}' New='{n1, n2, n3}' WOld=1 ROld=1 From='"number"'
# A member declared dead that lives may answer reads of one replica
replicas deadR1     $P1       $P1     Dead='{n3}' WOld=3 ROld=1 WNew=3 RNew=1

# Deletions while a key moves
moving() {
  local name=$1 expect=$2
  shift 2
  local First=1 Last=3 PurgeAsks='"members"' CopyWhen='"source"' GainerHints=$F CarryHorizon=$T Floors=$T VoidMarks=$T Fence=$T
  local OwnOnly=$T Start='"put"' MaxReads=0
  [ $# = 0 ] || local "$@"
  {
    echo "\\* expect: $expect"
    echo "SPECIFICATION Spec"
    echo "INVARIANT NoResurrection"
    echo "SYMMETRY Symmetry"
    echo CONSTANTS
    local constant
    for constant in n1 n2 n3 n4; do echo "  $constant = $constant"; done
    for constant in First Last PurgeAsks CopyWhen GainerHints CarryHorizon Floors VoidMarks Fence OwnOnly Start MaxReads; do
      echo "  $constant = ${!constant}"
    done
  } > "Moving_$name.cfg"
}
moving join        ok
moving joinReads   ok             MaxReads=1
moving back        ok             First=3 Last=5
moving voidMarks   ok             First=3 Last=5 Start='"tenure"'
# One rule left out
moving purgeOld    NoResurrection PurgeAsks='"old"'
moving copyEarly   NoResurrection CopyWhen='"any"'
moving gainerHints NoResurrection GainerHints=$T
moving noHorizon   NoResurrection CarryHorizon=$F
moving noFloor     NoResurrection First=3 Last=5 Floors=$F
moving keepMarks   NoResurrection First=3 Last=5 Start='"tenure"' VoidMarks=$F
moving noFence     NoResurrection Fence=$F
moving takesEarly  NoResurrection OwnOnly=$F

# The register of a key: three replicas, nothing lost, nobody gives up, if nothing else is given
register() {
  local name=$1 expect=$2 check=$3
  shift 3
  local Nodes='{n1, n2, n3}' Cas='{}' Plain='{}' Again='{}' AgainRule='"below"' Deletes='{}' Rounds='{}' Quick='{}' Chain='{}'
  local PlainAcks=2 Deadlines=$F Fence='"all"' Forgets=0 Release='"no"' PrePromise=$T Carry='"ballot"' ReadHolds='"exact"'
  local ReadFence=$T Losses=0 WaitOut=$T AmnesiacAcks='"stores"' AmnesiacVotes=$F PurgeRule='"off"' HorizonFence=$T
  local "$@"
  {
    echo "\\* expect: $expect"
    echo "SPECIFICATION Spec"
    echo "INVARIANTS $check"
    echo "SYMMETRY Symmetry"
    echo CONSTANTS
    local constant
    for constant in Nodes Cas Plain Again AgainRule Deletes Rounds Quick Chain PlainAcks Deadlines Fence Forgets Release PrePromise \
        Carry ReadHolds ReadFence Losses WaitOut AmnesiacAcks AmnesiacVotes PurgeRule HorizonFence; do
      echo "  $constant = ${!constant}"
    done
  } > "Register_$name.cfg"
}
order="Atomic RealTime"
settled="$order Settled"
once="$order Once"
register main           ok       "$order"   Cas='{1, 2}' Plain='{3}' Quick='{4}'
register cas4           ok       "$order"   Cas='{1, 2, 3, 4}'
register mixed          ok       "$order"   Cas='{1, 2}' Plain='{3, 4}'
register mixed3         ok       "$order"   Cas='{1, 2, 3}' Plain='{4}'
register read           ok       "$order"   Cas='{1, 2}' Quick='{3}'
register readMixed      ok       "$order"   Cas='{1}' Plain='{2}' Quick='{3}'
register reads          ok       "$order"   Cas='{1}' Quick='{2, 3}'
register round          ok       "$order"   Cas='{1, 2}' Rounds='{3}'
register roundMixed     ok       "$order"   Cas='{1}' Plain='{2}' Rounds='{3}'
register again          ok       "$order"   Cas='{1, 4}' Plain='{2, 3}' Again='{23}'
register settled        ok       "$settled" Cas='{1}' Quick='{2, 3}' Deadlines=$T
register settled2       ok       "$settled" Cas='{1, 2}' Quick='{3}' Deadlines=$T
register settledRound   ok       "$settled" Cas='{1}' Rounds='{2}' Quick='{3}' Deadlines=$T
register retry          ok       "$once"    Cas='{1, 2, 3}' Again='{13}'
register restore        ok       "$order"   Cas='{1, 2, 3}' Deadlines=$T Release='"restore"'
register chain          ok       "$order"   Cas='{1, 2}' Plain='{3}' Chain='{12}'
register disk           ok       "$settled" Cas='{1}' Plain='{2}' Deadlines=$T Losses=1
register disk2          ok       "$settled" Cas='{1, 2}' Deadlines=$T Losses=1
register disk3          ok       "$order"   Cas='{1, 2}' Plain='{3}' Deadlines=$T Losses=1
register diskRead       ok       "$settled" Cas='{1}' Quick='{2}' Deadlines=$T Losses=1
register plainLossStores ok      "$order"   Plain='{1, 2}' Deadlines=$T Losses=1
register purge          ok       "$settled" Cas='{1}' Plain='{2}' Deletes='{2}' Deadlines=$T PurgeRule='"waited"'
register purge2         ok       "$settled" Cas='{1, 2}' Plain='{3}' Deletes='{3}' Deadlines=$T PurgeRule='"waited"'
# One rule left out
register plainPasses    Atomic   "$order"   Cas='{1}' Plain='{2}' Fence='"noPlain"'
register relayPasses    Atomic   "$order"   Cas='{1}' Plain='{2}' Quick='{3}' Fence='"noRelay"'
register forget         Atomic   "$order"   Cas='{1, 2}' Forgets=1
register forgetPlain    Atomic   "$order"   Cas='{1}' Plain='{2}' Forgets=1
register holdsNewer     Atomic   "$order"   Cas='{1}' Plain='{2}' Quick='{3}' ReadHolds='"newer"'
register holdsNone      RealTime "$order"   Plain='{1}' Quick='{2, 3}' ReadHolds='"none"'
register noCarry        Atomic   "$order"   Cas='{1}' Plain='{2}' Rounds='{3}' Carry='"none"'
register oneAck         RealTime "$order"   Cas='{1}' Plain='{2}' PlainAcks=1
register noReadFence    Settled  "$settled" Cas='{1}' Quick='{2, 3}' Deadlines=$T ReadFence=$F
register retryAny       Once     "$once"    Cas='{1, 2, 3}' Again='{13}' AgainRule='"any"'
register drop           Atomic   "$order"   Cas='{1, 2, 3}' Deadlines=$T Release='"drop"'
register chainNoPromise Atomic   "$order"   Cas='{1, 2}' Plain='{3}' Chain='{12}' PrePromise=$F
register votes          Atomic   "$settled" Cas='{1}' Plain='{2}' Deadlines=$T Losses=1 AmnesiacVotes=$T
register amnesiacAcks   Atomic   "$settled" Cas='{1}' Plain='{2}' Deadlines=$T Losses=1 AmnesiacAcks='"always"'
register amnesiacWaited Atomic   "$settled" Cas='{1}' Plain='{2}' Deadlines=$T Losses=1 AmnesiacAcks='"waited"'
register plainLoss      RealTime "$order"   Plain='{1, 2}' Deadlines=$T Losses=1 AmnesiacAcks='"waited"'
register noWaitOut      Atomic   "$settled" Cas='{1, 2}' Deadlines=$T Losses=1 WaitOut=$F
register noHorizon      RealTime "$settled" Cas='{1}' Plain='{2}' Deletes='{2}' Deadlines=$T PurgeRule='"waited"' HorizonFence=$F

# The register while the replicas of its key change: two conditional writes, if nothing else is given
moves() {
  local name=$1 expect=$2
  shift 2
  local Old='{n1, n2, n3}' New='{n2, n3, n4}' Cas='{1, 2}' Plain='{}' Quick='{}' Spans=$F Both=$T Barrier=$T CopyFrom=3
  [ $# = 0 ] || local "$@"
  {
    echo "\\* expect: $expect"
    echo "SPECIFICATION Spec"
    echo "INVARIANTS Atomic RealTime"
    echo "SYMMETRY Symmetry"
    echo CONSTANTS
    local constant
    for constant in Old New Cas Plain Quick Spans Both Barrier CopyFrom; do echo "  $constant = ${!constant}"; done
  } > "RegisterMove_$name.cfg"
}
moves cas       ok
moves plain     ok     Cas='{1}' Plain='{2}'
moves read      ok     Cas='{1}' Quick='{2}'
# One rule left out
moves newOnly   Atomic Both=$F
moves noBarrier Atomic Barrier=$F
moves copyOne   Atomic CopyFrom=1
moves spans     Atomic Spans=$T

# One version for a request: three replicas of every key, nothing purged, all orders of stamps, if nothing else is given
versions() {
  local name=$1 expect=$2 check=$3
  shift 3
  local Nodes='{n1, n2, n3}' Cas='{}' Plain='{}' More='{}' Readers='{}' Blind='{}' Creates='{}' Deletes='{}' Narrow='{}' Pair='{n1, n2}'
  local Deadlines=$F Purges=$F Skew=$T Versioning='"request"' Compare='"version"' Parent='"version"' KeepParent=$T Between=$T
  local Sure='"sent"' Shared412='"passed"' Gap=$F BallotAbove=$T OwnTime=$T HorizonFence='"version"' Quick='{}' Probes='{}'
  local ReadHolds='"entry"' ReadFence=$T Refused='"register"' Release='"no"' Losses=0 Hints='"chosen"' WaitOut=$T AmnesiacAcks='"stores"'
  local AmnesiacVotes=$F
  local "$@"
  {
    echo "\\* expect: $expect"
    echo "SPECIFICATION Spec"
    echo "INVARIANTS $check"
    echo "SYMMETRY Symmetry"
    echo CONSTANTS
    local constant
    for constant in Nodes Cas Plain More Readers Blind Creates Deletes Narrow Pair Deadlines Purges Skew Versioning Compare Parent \
        KeepParent Between Sure Shared412 Gap BallotAbove OwnTime HorizonFence Quick Probes ReadHolds ReadFence Refused Release Losses \
        Hints WaitOut AmnesiacAcks AmnesiacVotes; do
      echo "  $constant = ${!constant}"
    done
  } > "Versions_$name.cfg"
}
definite="Holds NoUnknown"
versions retry       ok           "$definite"  Cas='{1, 2}' More='{11, 12}'
versions retryRead   ok           "$definite"  Cas='{1, 2}' More='{11}' Readers='{8}' Blind='{2}' Creates='{1}' Skew=$F
versions retryCas    ok           Holds        Cas='{1, 2, 3}' More='{11}' Blind='{2}' Creates='{1, 3}' Deletes='{2}' Skew=$F
versions retryPlain  ok           Holds        Cas='{1}' Plain='{2}' More='{11, 12}'
versions reader      ok           "$definite"  Cas='{1}' More='{11}' Readers='{8, 9}' Creates='{1}'
versions handRead    ok           "$definite"  Cas='{1}' More='{11, 15}' Readers='{8}' Creates='{1}'
versions handPassed  ok           Holds        Cas='{2, 3}' More='{21, 35}' Blind='{2}'
versions handFinal   ok           Holds        Cas='{2, 3}' More='{21, 35}' Blind='{2}' Shared412='"final"'
versions handPlain   ok           Holds        Cas='{1}' Plain='{2}' More='{11, 15}'
versions slow        ok           Holds        Cas='{1}' Plain='{2}' More='{21}' Readers='{8}'
versions slow2       ok           Holds        Plain='{1, 2}' More='{11, 21}'
versions slowHand    ok           Holds        Cas='{1}' Plain='{2}' More='{21, 25}' Creates='{1}'
versions gap         ok           "$definite"  Plain='{1, 2}' More='{11, 21}' Gap=$T
versions gapCas      ok           Holds        Cas='{1}' Plain='{2}' More='{11}' Readers='{8}' Creates='{1}' Gap=$T Skew=$F
versions narrow      ok           Holds        Cas='{1}' Plain='{2}' More='{21}' Readers='{8}' Narrow='{2}'
versions purge       ok           Holds        Cas='{1}' Plain='{2}' More='{15}' Creates='{1}' Deletes='{2}' Purges=$T
versions settled     ok           Holds        Cas='{1}' More='{15}' Readers='{8, 9}' Deadlines=$T
# Versions beside looks, refused plain writes, releases and a lost disk
versions look        ok           Holds        Plain='{1}' Cas='{2}' More='{21}' Quick='{9}' Skew=$F
versions lookSlow    ok           Holds        Plain='{1}' Cas='{2}' More='{11}' Quick='{9}' Creates='{2}' Skew=$F
versions lookSettled ok           "$definite"  Cas='{1}' More='{11}' Quick='{9}' Deadlines=$T
versions lookHand    ok           Holds        Cas='{1}' More='{15}' Readers='{8}' Quick='{9}' Creates='{1}' Skew=$F
versions lookRelease ok           Holds        Plain='{1}' Cas='{2}' More='{21}' Quick='{9}' Creates='{2}' Skew=$F Release='"restore"'
versions probe       ok           Holds        Cas='{1, 2}' More='{11}' Blind='{1}' Probes='{2}' Skew=$F
versions release     ok           Holds        Plain='{1}' Cas='{2, 3}' Creates='{2, 3}' Deadlines=$T Release='"restore"'
versions disk        ok           Holds        Plain='{1}' Cas='{2}' More='{21}' Skew=$F Deadlines=$T Losses=1
versions diskSlow    ok           Holds        Plain='{1}' Cas='{2}' More='{11}' Creates='{2}' Skew=$F Deadlines=$T Losses=1
versions diskChosen  ok           Holds        Plain='{1}' Cas='{2}' Deadlines=$T Losses=1
versions diskLook    ok           Holds        Cas='{1}' More='{11}' Quick='{9}' Deadlines=$T Losses=1
# One rule left out
versions propose     VersionsGrow VersionsGrow Cas='{1, 2}' More='{11}' Blind='{1, 2}' Compare='"nothing"'
versions oldStep5    NoFalse412   NoFalse412   Cas='{1, 2, 3}' More='{11}' Blind='{2}' Creates='{1, 3}' Deletes='{2}' Skew=$F \
  Versioning='"attempt"' Parent='"zero"'
versions zeroParent  NoFalse412   NoFalse412   Cas='{1, 2, 3}' More='{11}' Blind='{2}' Creates='{1, 3}' Deletes='{2}' Skew=$F Parent='"zero"'
versions blankParent NoFalse412   NoFalse412   Cas='{1}' Plain='{2}' More='{11, 15}' Blind='{1}' Skew=$F Parent='"blank"'
versions dropParent  NoFalse412   NoFalse412   Cas='{1, 2}' More='{11}' Readers='{8}' Blind='{1, 2}' Skew=$F KeepParent=$F
versions ballots     NoUnknown    NoUnknown    Cas='{1}' More='{11}' Readers='{8}' Creates='{1}' Compare='"ballot"'
versions twoVersions AtMostOnce   AtMostOnce   Cas='{1, 2}' More='{15}' Blind='{1, 2}' Versioning='"attempt"'
versions plainBoth   AtMostOnce   AtMostOnce   Plain='{1, 2}' More='{11}' Versioning='"stranger"'
versions oldTime     Atomic       Atomic       Cas='{1}' Plain='{2}' More='{21}' Readers='{8}' Blind='{1}' OwnTime=$F
versions heard       NoFalse412   NoFalse412   Cas='{1}' Plain='{2}' More='{11}' Readers='{8}' Blind='{1}' Skew=$F Sure='"heard"'
versions ownOnly     NoFalse412   NoFalse412   Cas='{1}' Plain='{2}' More='{11, 15}' Blind='{1}' Skew=$F Sure='"own"'
versions naive412    NoFalse412   NoFalse412   Cas='{2, 3}' More='{21, 35}' Blind='{2}' Skew=$F Shared412='"naive"'
versions lowBallot   VersionsGrow VersionsGrow Cas='{1}' Plain='{2}' More='{15}' Blind='{1}' BallotAbove=$F
versions purgeBallot AtMostOnce   AtMostOnce   Cas='{1}' Plain='{2}' More='{15}' Creates='{1}' Deletes='{2}' Purges=$T HorizonFence='"ballot"'
versions unfenced    Settled      Settled      Cas='{1}' Quick='{8, 9}' Deadlines=$T ReadFence=$F
versions sameVersion VersionsGrow VersionsGrow Plain='{1}' Readers='{7, 8}' Quick='{9}' Skew=$F ReadHolds='"version"'
versions newer       Atomic       Atomic       Cas='{1}' Plain='{2}' Quick='{9}' ReadHolds='"newer"'
versions anew        AtMostOnce   AtMostOnce   Plain='{1}' More='{11}' Readers='{8}' Refused='"anew"'
versions drop        Atomic       Atomic       Plain='{1}' Cas='{2, 3}' Creates='{2, 3}' Deadlines=$T Release='"drop"'
versions acks        Atomic       Atomic       Cas='{1}' Plain='{2}' Blind='{1}' Deadlines=$T Losses=1 AmnesiacAcks='"always"'
versions waited      Atomic       Atomic       Cas='{1}' Plain='{2}' Blind='{1}' Deadlines=$T Losses=1 AmnesiacAcks='"waited"'
versions votes       Atomic       Atomic       Cas='{1}' Plain='{2}' Blind='{1}' Deadlines=$T Losses=1 AmnesiacVotes=$T
versions hints       Atomic       Atomic       Plain='{1}' Cas='{2}' Deadlines=$T Losses=1 Hints='"any"'
versions noWaitOut   Atomic       Atomic       Cas='{1, 2}' Blind='{1, 2}' Deadlines=$T Losses=1 WaitOut=$F
versions crossing    NoUnknown    NoUnknown    Plain='{1, 2}' More='{11, 21}'
# A rule is used: each of these breaks, too
versions seeAnew     NeverAnew    NeverAnew    Cas='{1}' More='{11}' Readers='{8}' Creates='{1}'
versions seeDead     NeverDead    NeverDead    Cas='{1, 2}' More='{11}' Blind='{1, 2}'
versions seeGap      NeverDead    NeverDead    Plain='{1, 2}' More='{11}' Gap=$T
versions seeParent   NeverParent  NeverParent  Cas='{1, 2}' More='{11}' Blind='{1, 2}'
versions seePassed   NeverPassed  NeverPassed  Cas='{1}' Plain='{2}' More='{15}' Creates='{1}'

# Leases on one register: two clients that want one, ttl 4, E 1 tick, 8 ticks, if nothing else is given
lease() {
  local name=$1 expect=$2 check=$3
  shift 3
  local Creates='{11, 21}' Touches='{}' Keeps='{}' Releases='{}' Gets='{}' Plains='{}' Writes='{}' MaxTime=8 Ttl=4 Members=3 Heard=3
  local Err=1 Off=5 EstRule='"median"' E=1 C=2 Margin=3 Slip=1 BelieveFrom='"sent"' ExpiresFrom='"begin"' JudgeBy='"round"' Settles=all
  local LookFirst='{}' TouchRule='"max"' TouchVersion='"keep"' TouchMatch='"version"' KeepFrom='"base"' KeepExpired='"unmet"' KeepBelieves=$F
  local "$@"
  if [ "$Settles" = all ]; then
    Settles=$(tr -d '{}' <<< "$Touches $Keeps $Releases $Gets" | xargs)
    Settles="{${Settles// /, }}"
    Settles=${Settles//,,/,}
  fi
  {
    echo "\\* expect: $expect"
    echo "SPECIFICATION Spec"
    echo "INVARIANTS $check"
    echo CONSTANTS
    local constant
    for constant in Creates Touches Keeps Releases Gets Plains Writes MaxTime Ttl Members Heard Err Off EstRule E C Margin Slip BelieveFrom \
        ExpiresFrom JudgeBy Settles LookFirst TouchRule TouchVersion TouchMatch KeepFrom KeepExpired KeepBelieves; do
      echo "  $constant = ${!constant}"
    done
  } > "Lease_$name.cfg"
}
H=OneHolder; N=NeverLivesAgain; Y=NoEarlyEnd; L=NotForEver; R="TouchKeepsVersion ReleaseFrees OnlyOwn"; all="EstimateOk $H $N $Y $L $R"
lease main           ok            "$all"  Touches='{12}' Gets='{31}'
lease release        ok            "$all"  Touches='{12}' Releases='{13}'
lease touches        ok            "$all"  Touches='{12, 13}'
lease both           ok            "$all"  Touches='{12, 22}'
lease gets           ok            "$all"  Creates='{11}' Touches='{12}' Gets='{31, 32}'
lease three          ok            "$all"  Creates='{11, 21, 31}'
lease again          ok            "$all"  Creates='{11, 12, 21}' Releases='{13}'
lease plain          ok            "$all"  Creates='{11}' Touches='{12}' Gets='{31}' Plains='{41}'
lease middle         ok            "$all"  EstRule='"middle"' Heard=2 E=2 Ttl=6 Margin=5 MaxTime=12 Touches='{12}'
lease anyClock       ok            "$N $R" Creates='{11}' EstRule='"own"' MaxTime=2 Ttl=2 Off=2 Touches='{12}' Gets='{31, 32}'
# As built: a lease counts from the first round that may propose it; ttl=keep; unconditional writes
first='ExpiresFrom="first"'
lease first          ok            "$all"  "$first" Touches='{12}' MaxTime=5
lease firstGet       ok            "$all"  "$first" Creates='{11}' Touches='{12}' Gets='{31}'
lease keep           ok            "EstimateOk $H $N $Y $L TouchKeepsVersion OnlyOwn" Touches='{12}' Keeps='{13}' MaxTime=5
lease keepFirst      ok            "EstimateOk $H $N $Y $L TouchKeepsVersion OnlyOwn" "$first" Creates='{11, 21}' Keeps='{12}' MaxTime=4
lease keeps          ok            "$H $N $Y $L OnlyOwn" Creates='{11}' Keeps='{12, 13}' Gets='{31}'
lease keepGet        ok            "$H $N $Y $L OnlyOwn" Creates='{11}' Touches='{12}' Keeps='{13}' Gets='{31}'
lease write          ok            "OneHolderUnlessReplaced $N $Y $L $R" Touches='{12}' Writes='{41}' MaxTime=5
lease writeKeep      ok            "OneHolderUnlessReplaced $N $Y $L OnlyOwn" Keeps='{12}' Writes='{41}' MaxTime=4
lease writeKeepTouch ok            "$N $Y $L OnlyOwn" Creates='{11}' Touches='{12}' Keeps='{13}' Writes='{41}'
lease pausedFirst    ok            "$H $N $Y $R" EstRule='"paused"' "$first" Touches='{12}' MaxTime=4
# Hybrid time, which one wrong clock moves
lease hybridEarly    "$Y"          "$Y"    Creates='{11}' EstRule='"hybrid"' Settles='{}' Gets='{31}'
lease hybridHolder   "$H"          "$H"    EstRule='"hybrid"' Settles='{}'
lease hybridForEver  "$L"          "$L"    Creates='{11}' EstRule='"hybrid"' Settles='{}' Gets='{31}'
lease hybridRestart  "$N"          "$N"    Creates='{11}' EstRule='"hybrid"' Settles='{}' Gets='{31, 32}'
# One rule left out
lease noSettle       "$N"          "$N"    Creates='{11}' Settles='{}' Gets='{31, 32}'
lease getsSettle     "$N"          "$N"    Creates='{11}' Settles='{31}' Touches='{12}' Gets='{31}'
lease lookCreate     "$H"          "$H"    LookFirst='{11, 21}' Touches='{12}'
lease lookGet        "$Y"          "$Y"    Creates='{11}' LookFirst='{31}' Touches='{12}' Gets='{31}'
lease replica        "$H"          "$H"    JudgeBy='"replica"'
lease touchNew       ReleaseFrees  ReleaseFrees Creates='{11}' TouchVersion='"new"' Touches='{12}' Releases='{13}'
lease touchSet       "$H"          "$H"    TouchRule='"set"' Touches='{12, 13}'
lease touchAny       "$H"          "$H"    TouchMatch='"any"' Touches='{12}'
lease margin0        "$H"          "$H"    Margin=0
lease marginLess     "$H"          "$H"    Margin=2
lease fromAnswer     "$H"          "$H"    BelieveFrom='"answer"'
lease expiresLate    "$L"          "$L"    Creates='{11}' ExpiresFrom='"effect"' Gets='{31}'
lease paused         "$H"          "$H"    EstRule='"paused"'
lease pausedJudge    "$L"          "$L"    EstRule='"paused"' "$first" Creates='{11}' Gets='{31}'
lease c1             "$Y"          "$Y"    Creates='{11}' C=1 Gets='{31}'
lease keepLook       "$H"          "$H"    KeepFrom='"look"' Keeps='{13}' Touches='{12}' MaxTime=2
lease keepLookEarly  "$Y"          "$Y"    KeepFrom='"look"' Creates='{11}' Keeps='{13}' Touches='{12}' Gets='{31}' MaxTime=3
lease keepExpired    "$L"          "$L"    KeepExpired='"never"' Creates='{11}' Keeps='{12}' Gets='{31}' MaxTime=6
lease keepBelieves   "$H"          "$H"    KeepBelieves=$T Keeps='{12}'
lease keepLost       ReleaseFrees  ReleaseFrees Creates='{11}' Keeps='{12}' Releases='{13}'
lease touchFormer    OnlyOwn       OnlyOwn TouchMatch='"former"' Touches='{12}' Writes='{41}'
lease touchFormerOne "$H"          "$H"    TouchMatch='"former"' Touches='{12}'
lease writeHolder    "$H"          "$H"    Writes='{41}'
# Estimates alone: clocks of the cluster, and how many are heard
lease est5           ok            EstimateOk Creates='{11}' MaxTime=0 Members=5 Heard=5
lease est3of2        EstimateOk    EstimateOk Creates='{11}' MaxTime=0 Heard=2
lease est3of1        EstimateOk    EstimateOk Creates='{11}' MaxTime=0 Heard=1
lease agree3of2      ok            EstimateOk Creates='{11}' MaxTime=0 EstRule='"agree"' Heard=2 E=3
lease agreeTight     EstimateOk    EstimateOk Creates='{11}' MaxTime=0 EstRule='"agree"' Heard=2 E=2
lease middle3        ok            EstimateOk Creates='{11}' MaxTime=0 EstRule='"middle"' Heard=3 E=2
lease middle2of2     ok            EstimateOk Creates='{11}' MaxTime=0 EstRule='"middle"' Members=2 Heard=2 E=2
lease middle4of3     ok            EstimateOk Creates='{11}' MaxTime=0 EstRule='"middle"' Members=4 Heard=3 E=2
lease middle5of3     ok            EstimateOk Creates='{11}' MaxTime=0 EstRule='"middle"' Members=5 Heard=3 E=2
lease middle5        ok            EstimateOk Creates='{11}' MaxTime=0 EstRule='"middle"' Members=5 Heard=5 Off=4 E=2

# How wrong an estimate can be: right clocks exact, answers up to one tick late, if nothing else is given
estimate() {
  local name=$1 expect=$2
  shift 2
  local D=0 Off=3 Delay=1 Late=2 Age=2 Window=4 Rule='"middle"' Error=1 E=2 Mono='"goes"' Suspends=2 Pauses=0 Since='"now"' Wait=2
  local Drops='"never"' Same=0 Known=$F
  [ $# = 0 ] || local "$@"
  {
    echo "\\* expect: $expect"
    echo "SPECIFICATION Spec"
    echo "INVARIANTS WithinE"
    echo CONSTANTS
    local constant
    for constant in D Off Delay Late Age Window Rule Error E Mono Suspends Pauses Since Wait Drops Same Known; do
      echo "  $constant = ${!constant}"
    done
  } > "Estimate_$name.cfg"
}
pause='Suspends=0 Pauses=3'
estimate main        ok
estimate skew        ok      D=1 Error=2 E=4 Off=5
estimate drops       ok      Drops='"recent"'
estimate pauseAsked  ok      $pause Since='"asked"'
estimate fresh       ok      $pause Since='"fresh"' Late=3 Wait=1 Age=1 Window=3
# One rule left out
estimate lower       WithinE Rule='"lower"'
estimate pause       WithinE $pause
estimate suspend     WithinE Suspends=3 Mono='"stands"'
estimate late        WithinE Delay=9 Late=5
estimate window      WithinE Window=3
estimate heard       WithinE $pause Since='"heard"' Known=$T
# As built, a reading drops the others if the one before is not too old: a peer not heard, two pauses, an answer under way
estimate dropsUnheard WithinE $pause Since='"heard"' Drops='"recent"' Late=0
estimate dropsTwice  WithinE $pause Since='"heard"' Drops='"recent"' Known=$T Late=0
estimate dropsLate   WithinE $pause Since='"heard"' Drops='"recent"' Known=$T
# More memory of former readings; the same, without answers under way at a drop; pauses that are too short to be seen
estimate dropsEver   WithinE $pause Since='"heard"' Drops='"ever"' Known=$T Late=5
estimate dropsAll    WithinE $pause Since='"heard"' Drops='"all"' Late=3 Wait=1 Age=1 Window=3
estimate dropsSmall  WithinE $pause Since='"heard"' Drops='"all"' Known=$T Same=1
