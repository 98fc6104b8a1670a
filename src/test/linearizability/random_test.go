package main

import (
	"fmt"
	"math/rand"
	"strconv"
	"testing"

	"github.com/anishathalye/porcupine"
)

// A simulated key: one register, and clients whose operations take effect at some instant between call and return, or some time
// later, or never, if they are lost.
type simulation struct {
	random  *rand.Rand
	now     int64
	version int
	etag    string
	value   string
	// What any client has seen last.
	seen    string
	history []*operation
	late    []*operation
}

func simulate(seed int64, operations, clients int, lossRate float64) []*operation {
	s := &simulation{random: rand.New(rand.NewSource(seed))}
	called, done := make([]*operation, clients), make([]bool, clients)
	for len(s.history) < operations {
		s.now++
		if len(s.late) > 0 && s.random.Intn(20) == 0 {
			s.apply(s.late[0])
			s.late = s.late[1:]
		}
		i := s.random.Intn(clients)
		switch at := called[i]; {
		case at == nil:
			called[i], done[i] = s.call(i), false
		case s.random.Float64() < lossRate && !done[i] && !at.isRead():
			at.Return, at.Outcome = s.now, "unknown"
			s.history = append(s.history, at)
			called[i] = nil
			if s.random.Intn(2) == 0 {
				s.late = append(s.late, at)
			}
		case !done[i]:
			s.apply(at)
			done[i] = true
		default:
			at.Return = s.now
			s.history = append(s.history, at)
			called[i] = nil
			s.seen = at.Version
			if at.Outcome == "unmet" {
				s.seen = at.Current
			}
			if at.Kind == "delete" || at.Outcome == "absent" {
				s.seen = ""
			}
		}
	}
	// Those that are under way may have taken effect.
	for _, each := range called {
		if each != nil && !each.isRead() {
			each.Return, each.Outcome, each.Version, each.Current = s.now, "unknown", "", ""
			s.history = append(s.history, each)
		}
	}
	return s.history
}

func (s *simulation) call(client int) *operation {
	made := &operation{Client: int64(client), Key: "k", Kind: "put", Call: s.now}
	switch s.random.Intn(10) {
	case 0, 1, 2:
		made.Kind = "read"
	case 3:
		made.Condition = create
	case 4:
		made.Kind = "delete"
	default:
		if s.seen != "" {
			made.Condition = "If-Match: " + s.seen
		}
	}
	if made.Kind == "put" {
		value := strconv.FormatInt(s.now, 10)
		made.Value = &value
	}
	made.condition, _ = parseCondition(made.Condition)
	return made
}

// What is lost learns nothing of its outcome.
func (s *simulation) apply(at *operation) {
	isLost := at.isUnknown()
	switch {
	case at.isRead() && s.value == "":
		at.Outcome, at.Version = "absent", s.etag
	case at.isRead():
		value := s.value
		at.Outcome, at.Version, at.Value = "read", s.etag, &value
	case !s.holds(at.condition):
		if !isLost {
			at.Outcome = "unmet"
			if s.value == "" {
				at.Version = s.etag
			} else {
				at.Current = s.etag
			}
		}
	default:
		s.version++
		s.etag, s.value = fmt.Sprintf("v%08d", s.version), ""
		if at.Value != nil {
			s.value = *at.Value
		}
		if !isLost {
			at.Outcome, at.Version = "written", s.etag
		}
	}
}

func (s *simulation) holds(wanted *condition) bool {
	return wanted == nil || wanted.negated && s.value == "" || !wanted.negated && s.value != "" && s.etag == wanted.versions[0]
}

func TestSimulatedHistoriesAreLegal(t *testing.T) {
	for seed := int64(0); seed < 300; seed++ {
		if result := judge(t, simulate(seed, 150, 10, 0.1)); result != porcupine.Ok {
			t.Errorf("seed %d: %s", seed, result)
		}
	}
}

// Versions leave next to no choice.
func TestTheSearchIsShort(t *testing.T) {
	history := simulate(1, 3_000, 24, 0)
	requireShort(t, history, porcupine.Ok)
	tell(history)
	requireShort(t, history, porcupine.Illegal)
	history = []*operation{wrote(1, 2, "a", "", "v1"), saw(3, 4, "b", "v2")}
	for len(history) < 20 {
		history = append(history, saw(3, 4, "a", "v1"))
	}
	requireShort(t, history, porcupine.Illegal)
}

func requireShort(t *testing.T, history []*operation, wanted porcupine.CheckResult) {
	register := newRegister(history)
	register.bytes = 4 * int64(len(history)) * (bytesOfAState + int64(len(history)/8))
	if result := register.judge(0); result != wanted {
		t.Error(result)
	}
}

// The same with one lie: a read of what was read before the call of another read, and is gone.
func TestSimulatedHistoriesWithALieAreIllegal(t *testing.T) {
	lies := 0
	for seed := int64(0); seed < 300; seed++ {
		history := simulate(seed, 150, 10, 0.1)
		if tell(history) {
			lies++
			if result := judge(t, history); result != porcupine.Illegal {
				t.Errorf("seed %d: %s", seed, result)
			}
		}
	}
	if lies < 200 {
		t.Errorf("only %d lies", lies)
	}
}

func tell(history []*operation) bool {
	for i := len(history) - 1; i >= 0; i-- {
		for _, before := range history {
			if now := history[i]; now.Outcome == "read" && before.Outcome == "written" && before.Value != nil &&
				before.Version < now.Version && isGone(history, before, now.Call) {
				now.Value, now.Version = before.Value, before.Version
				return true
			}
		}
	}
	return false
}

// Whether another version was read before the instant, and it is above this one.
func isGone(history []*operation, write *operation, instant int64) bool {
	for _, each := range history {
		if each.Outcome == "read" && each.Version > write.Version && each.Return < instant {
			return true
		}
	}
	return false
}
