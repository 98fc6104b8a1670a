package main

import (
	"fmt"
	"math"
	"sort"
	"time"

	"github.com/anishathalye/porcupine"
)

// A register is the model of one key, made for the operations on it. Versions grow along its history, so those of the writes that
// have certainly happened say in which order they have.
type register struct {
	history []porcupine.Operation
	// Of the writes that have certainly happened, in their order.
	versions []string
	// Of each version the number of operations that have met it and have written nothing.
	readers map[string]int
	// The number of operations that have certainly happened.
	certain int
	seen    observations
	// The bytes left for the states that the search keeps. Time alone does not bound it: it fills gigabytes in seconds.
	bytes int64
}

const (
	mostBytes     = 2 << 30
	bytesOfAState = 256
)

// An effect is an operation that has happened, or may have.
type effect struct {
	*operation
	// Whether it has certainly happened.
	isCertain bool
	// Of a plain write whose version no other operation has met. It may be acknowledged because a later plain one has overwritten
	// it, which is above all versions that the key had in the meantime.
	isOvertaken bool
	// The place of a certain write among all of them; of one that has written nothing, among the readers of its version.
	rank int
}

// A state is what the key holds, and what follows from the set of operations that are behind it.
type state struct {
	// The write whose value or deletion the key holds, if there was one.
	written *effect
	// Its version, if that is known; else the newest that is known of those before it.
	version   string
	isVersion bool
	// The number of its readers that are behind it.
	readers int
	// Whether an operation has met what that write has left.
	isMet bool
	// The number of certain writes that are behind it.
	writes int
	// The latest call of an operation that settles those of unknown outcome.
	settled int64
	// The number of certain operations that are not behind it.
	left int
}

func newRegister(operations []*operation) *register {
	effects := make([]*effect, 0, len(operations))
	for _, each := range operations {
		if each.Outcome != "not-written" {
			// Of the effect more may be known.
			known := *each
			effects = append(effects, &effect{operation: &known})
		}
	}
	seen := observe(effects)
	register := &register{seen: seen, bytes: mostBytes, readers: make(map[string]int)}
	sort.SliceStable(effects, func(i, j int) bool { return effects[i].Call < effects[j].Call })
	var writes []*effect
	for _, each := range effects {
		isSeen := seen.writes[each]
		each.isCertain = !each.isUnknown() || isSeen
		if !each.isCertain && !seen.mayMatter(each) {
			continue
		}
		operation := porcupine.Operation{Input: each, Call: each.Call, Return: each.Return}
		if each.isUnknown() {
			operation.Return = math.MaxInt64
		}
		if each.isCertain {
			register.certain++
			each.isOvertaken = each.isPlain && !isSeen
			switch version := each.seenVersion(); {
			case each.isReader():
				each.rank = register.readers[version]
				register.readers[version]++
			case !each.isOvertaken:
				writes = append(writes, each)
			}
		}
		register.history = append(register.history, operation)
	}
	sort.SliceStable(writes, func(i, j int) bool { return writes[i].Version < writes[j].Version })
	for i, each := range writes {
		each.rank = i
		register.versions = append(register.versions, each.Version)
	}
	register.assignRows()
	return register
}

// Rows of the page: one for each client; one for each write of unknown outcome, beside which its client goes on.
func (r *register) assignRows() {
	rows := make(map[int64]int)
	for _, each := range r.history {
		client := each.Input.(*effect).Client
		if _, known := rows[client]; !known {
			rows[client] = len(rows)
		}
	}
	next := len(rows)
	for i := range r.history {
		each := r.history[i].Input.(*effect)
		if each.isUnknown() {
			r.history[i].ClientId = next
			next++
		} else {
			r.history[i].ClientId = rows[each.Client]
		}
	}
}

// What was seen of writes.
type observations struct {
	// The writes whose value or version was seen: they have happened.
	writes map[*effect]bool
	// Versions that no write is known to have, in their order: they are of writes of unknown outcome.
	foreign []string
	// Whether a condition was fulfilled that does not say by which version.
	isVague bool
}

func observe(effects []*effect) observations {
	byValue, byVersion := make(map[string]*effect), make(map[string]*effect)
	for _, each := range effects {
		if each.Kind == "put" && each.Outcome != "unmet" {
			byValue[*each.Value] = each
		}
	}
	for _, each := range effects {
		if each.Outcome == "read" {
			if write := byValue[*each.Value]; write != nil && write.Version == "" {
				write.Version = each.Version
			}
		}
	}
	for _, each := range effects {
		if !each.isReader() && each.Version != "" {
			byVersion[each.Version] = each
		}
	}
	seen := observations{writes: make(map[*effect]bool)}
	for _, each := range effects {
		seen.isVague = seen.isVague || each.Outcome == "written" && each.condition.isVague()
		version := each.seenVersion()
		if version == "" {
			continue
		}
		if write := byVersion[version]; write != nil {
			seen.writes[write] = true
		} else {
			seen.foreign = append(seen.foreign, version)
		}
	}
	sort.Strings(seen.foreign)
	return seen
}

// Whether it has certainly written nothing.
func (e *effect) isReader() bool {
	return e.isRead() || e.Outcome == "unmet"
}

// The version that it has certainly met, if there is one.
func (e *effect) seenVersion() string {
	switch {
	case e.Outcome == "unmet" && e.Current != "":
		return e.Current
	case e.isReader():
		return e.Version
	case e.Outcome == "written" && e.condition != nil && !e.condition.negated && len(e.condition.versions) == 1:
		return e.condition.versions[0]
	}
	return ""
}

// Whether a write that nobody is known to have seen can explain anything: an absence, or a version that no other write has.
// Whatever can be explained with any other one can be without it.
func (o observations) mayMatter(write *effect) bool {
	return write.Kind == "delete" || o.isVague || write.Version == "" && len(o.foreign) > 0
}

// Whether there is such a version between these; none as the upper one is above all.
func (o observations) isForeignBetween(lower, upper string) bool {
	i := sort.SearchStrings(o.foreign, lower)
	for i < len(o.foreign) && o.foreign[i] == lower {
		i++
	}
	return i < len(o.foreign) && (upper == "" || o.foreign[i] < upper)
}

// Judges the history. Unknown: the time or the memory was not enough.
func (r *register) judge(limit time.Duration) porcupine.CheckResult {
	result := porcupine.CheckOperationsTimeout(r.model(), r.history, limit)
	if r.bytes < 0 {
		return porcupine.Unknown
	}
	return result
}

// Writes a page that shows the history, and the longest explanations of parts of it. Judges once more, as the quick way keeps none.
func (r *register) draw(limit time.Duration, page string) error {
	r.bytes = mostBytes
	_, info := porcupine.CheckOperationsVerbose(r.model(), r.history, limit)
	r.bytes = math.MaxInt64
	return porcupine.VisualizePath(r.model(), info, page)
}

func (r *register) model() porcupine.Model {
	return porcupine.Model{
		Init: func() interface{} {
			return state{isVersion: true, settled: math.MinInt64, left: r.certain}
		},
		Step: func(before, input, _ interface{}) (bool, interface{}) {
			if r.bytes < 0 {
				return false, before
			}
			isPossible, after := r.step(before.(state), input.(*effect))
			if isPossible {
				r.bytes -= bytesOfAState + int64(len(r.history)/8)
			}
			return isPossible, after
		},
		DescribeOperation: func(input, _ interface{}) string {
			return input.(*effect).String()
		},
		DescribeState: func(at interface{}) string {
			return at.(state).String()
		},
	}
}

func (r *register) step(at state, next *effect) (bool, state) {
	// The place of those that have not happened.
	if !next.isCertain && at.left == 0 {
		return true, at
	}
	if next.isCertain {
		at.left--
	}
	if next.isReader() {
		return r.read(at, next)
	}
	return r.write(at, next)
}

// Readers of one version come in the order of their calls, which no return forbids: all orders lead on alike.
func (r *register) read(at state, next *effect) (bool, state) {
	isPossible := false
	switch next.Outcome {
	case "read":
		isPossible, at = at.reads(next)
	case "absent":
		isPossible, at = at.isAbsent(next)
	default:
		isPossible, at = at.refuses(next)
	}
	if next.seenVersion() != "" {
		isPossible = isPossible && at.readers == next.rank
		at.readers++
	}
	return isPossible, at
}

func (r *register) write(at state, next *effect) (bool, state) {
	isOn, at := at.fulfils(next.condition)
	if !isOn || next.isUnknown() && at.settled > next.Deadline {
		return false, at
	}
	if !next.isOvertaken && next.Version != "" && next.Version <= at.version {
		return false, at
	}
	// Its other readers would have nowhere to go.
	if at.isVersion && at.version != "" && at.readers < r.readers[at.version] {
		return false, at
	}
	switch {
	case next.isOvertaken:
	case !next.isCertain:
		if !r.mayExplain(at, next) {
			return false, at
		}
	case next.rank != at.writes:
		return false, at
	default:
		at.writes++
	}
	// What nobody meets might as well not have happened.
	if at.written != nil && !at.written.isCertain && !at.isMet && next.condition == nil {
		return false, at
	}
	at.written = next
	at.isVersion = next.Version != "" && !next.isOvertaken
	at.readers = 0
	at.isMet = false
	if at.isVersion {
		at.version = next.Version
	}
	if next.Outcome == "written" && next.condition != nil {
		at = at.settledBy(next)
	}
	return true, at
}

// Whether a write that has not certainly happened can explain what follows. Else it is not tried: the ways to choose some of many
// double with each.
func (r *register) mayExplain(at state, next *effect) bool {
	upper := ""
	if at.writes < len(r.versions) {
		upper = r.versions[at.writes]
	}
	switch {
	case next.Version != "":
		return upper == "" || next.Version < upper
	case next.Kind == "delete" && at.isValue() || r.seen.isVague:
		return true
	}
	return r.seen.isForeignBetween(at.version, upper)
}

func (s state) settledBy(operation *effect) state {
	s.settled = max(s.settled, operation.Call)
	s.isMet = true
	return s
}

func (s state) isValue() bool {
	return s.written != nil && s.written.Kind == "put"
}

// Whether the key can have this version, which is that of its write from then on.
func (s state) sees(version string) (bool, state) {
	if s.written != nil && s.written.isOvertaken {
		return false, s
	}
	if s.isVersion {
		return version == s.version, s
	}
	if version <= s.version {
		return false, s
	}
	s.version, s.isVersion = version, true
	return true, s
}

func (s state) reads(read *effect) (bool, state) {
	if !s.isValue() || *s.written.Value != *read.Value {
		return false, s
	}
	return s.settledBy(read).sees(read.Version)
}

// One that names no version has met none, or a deletion that is purged.
func (s state) isAbsent(read *effect) (bool, state) {
	if s.isValue() {
		return false, s
	}
	s = s.settledBy(read)
	if read.Version == "" {
		return true, s
	}
	return s.sees(read.Version)
}

func (s state) refuses(unmet *effect) (bool, state) {
	isSo := false
	if unmet.Current == "" {
		isSo, s = s.isAbsent(unmet)
	} else if s.isValue() {
		isSo, s = s.settledBy(unmet).sees(unmet.Current)
	}
	if !isSo {
		return false, s
	}
	isOn, _ := s.fulfils(unmet.condition)
	return !isOn, s
}

func (s state) fulfils(wanted *condition) (bool, state) {
	switch {
	case wanted == nil:
		return true, s
	case !s.isValue():
		return wanted.negated, s
	case wanted.versions == nil:
		return !wanted.negated, s
	}
	for _, each := range wanted.versions {
		// What nobody has named is not the version that a client does not want.
		if isSo, as := s.sees(each); isSo && (s.isVersion || !wanted.negated) {
			return !wanted.negated, as
		}
	}
	return wanted.negated, s
}

func (s state) String() string {
	if s.written == nil {
		return "nothing"
	}
	version := s.version
	if !s.isVersion {
		version = "after " + version
	}
	if !s.isValue() {
		return "deleted " + version
	}
	return fmt.Sprintf("%s %s", *s.written.Value, version)
}
