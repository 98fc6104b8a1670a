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
