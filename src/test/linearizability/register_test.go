package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
)

// Operations have their calls and returns, and what they were told; conditions are those of the header.

func wrote(call, end int64, value, condition, version string) *operation {
	return &operation{Kind: "put", Value: &value, Condition: condition, Call: call, Return: end, Outcome: "written", Version: version}
}

func plain(call, end int64, value, version string) *operation {
	return &operation{Kind: "plain-put", Value: &value, Call: call, Return: end, Outcome: "written", Version: version}
}

func deleted(call, end int64, condition, version string) *operation {
	return &operation{Kind: "delete", Condition: condition, Call: call, Return: end, Outcome: "written", Version: version}
}

func unmet(call, end int64, value, condition, current string) *operation {
	return &operation{Kind: "put", Value: &value, Condition: condition, Call: call, Return: end, Outcome: "unmet", Current: current}
}

func notWritten(call, end int64, value string) *operation {
	return &operation{Kind: "put", Value: &value, Call: call, Return: end, Outcome: "not-written"}
}

// Of unknown outcome, with the version that it would have and its deadline, if there are such.
func lost(call, end int64, value, condition, version string, deadline int64) *operation {
	return &operation{Kind: "put", Value: &value, Condition: condition, Call: call, Return: end, Outcome: "unknown", Version: version,
		Deadline: deadline}
}

func lostDeletion(call, end int64, condition, version string, deadline int64) *operation {
	return &operation{Kind: "delete", Condition: condition, Call: call, Return: end, Outcome: "unknown", Version: version, Deadline: deadline}
}

func saw(call, end int64, value, version string) *operation {
	return &operation{Kind: "read", Value: &value, Call: call, Return: end, Outcome: "read", Version: version}
}

func sawNothing(call, end int64, version string) *operation {
	return &operation{Kind: "read", Call: call, Return: end, Outcome: "absent", Version: version}
}

type example struct {
	name       string
	operations []*operation
}

const create = "If-None-Match: *"

var illegal = []example{
	{"two writes replace one version", []*operation{
		wrote(1, 2, "a", create, "v1"), wrote(3, 6, "b", "If-Match: v1", "v2"), wrote(4, 7, "c", "If-Match: v1", "v3")}},
	{"a write replaces what is gone", []*operation{
		wrote(1, 2, "a", create, "v1"), wrote(3, 4, "b", "", "v2"), wrote(5, 6, "c", "If-Match: v1", "v3")}},
	{"a deletion of what is gone", []*operation{
		wrote(1, 2, "a", create, "v1"), wrote(3, 4, "b", "", "v2"), deleted(5, 6, "If-Match: v1", "v3")}},
	{"two creations", []*operation{wrote(1, 4, "a", create, "v1"), wrote(2, 3, "b", create, "v2")}},
	{"any version is wanted where there is none", []*operation{wrote(1, 2, "a", "If-Match: *", "v1")}},
	{"the version that is not wanted is replaced", []*operation{wrote(1, 2, "a", "", "v1"), wrote(3, 4, "b", "If-None-Match: v1", "v2")}},
	{"a refusal names what was never written", []*operation{wrote(1, 2, "a", create, "v1"), unmet(3, 4, "b", "If-Match: v0", "v7")}},
	{"a refusal names what is gone", []*operation{
		wrote(1, 2, "a", create, "v1"), wrote(3, 4, "b", "If-Match: v1", "v2"), unmet(5, 6, "c", "If-Match: v0", "v1")}},
	{"a refusal names what is not gone", []*operation{wrote(1, 2, "a", create, "v1"), unmet(3, 4, "c", "If-Match: v1", "")}},
	{"a refusal of what is wanted", []*operation{wrote(1, 2, "a", create, "v1"), unmet(3, 4, "c", "If-Match: v1", "v1")}},
	{"a read goes back", []*operation{
		wrote(1, 2, "a", create, "v1"), wrote(3, 9, "b", "If-Match: v1", "v2"), saw(4, 5, "b", "v2"), saw(6, 7, "a", "v1")}},
	{"a read of an older value", []*operation{wrote(1, 2, "a", "", "v1"), wrote(3, 4, "b", "", "v2"), saw(5, 6, "a", "v1")}},
	{"a read before the write", []*operation{saw(1, 2, "a", "v1"), wrote(3, 4, "a", "", "v1")}},
	{"a read before the write of unknown outcome", []*operation{saw(1, 2, "a", "v1"), lost(3, 4, "a", "", "", 0)}},
	{"a read of nothing where there is something", []*operation{wrote(1, 2, "a", "", "v1"), sawNothing(3, 4, "")}},
	{"a read of nothing names another deletion", []*operation{wrote(1, 2, "a", "", "v1"), deleted(3, 4, "", "v2"), sawNothing(5, 6, "v3")}},
	{"a value is there again", []*operation{
		wrote(1, 2, "a", create, "v1"), deleted(3, 4, "If-Match: v1", "v2"), sawNothing(5, 6, "v2"), saw(7, 8, "a", "v1")}},
	{"what is not written appears", []*operation{wrote(1, 2, "a", create, "v1"), notWritten(3, 4, "b"), saw(5, 6, "b", "v2")}},
	{"what was refused appears", []*operation{wrote(1, 2, "a", create, "v1"), unmet(3, 4, "b", create, "v1"), saw(5, 6, "b", "v2")}},
	{"an unknown write appears after a read that settles", []*operation{
		wrote(1, 2, "a", create, "v1"), lost(3, 5, "b", "If-Match: v1", "", 8), saw(9, 10, "a", "v1"), saw(11, 12, "b", "v2")}},
	{"an unknown write appears after a refusal that settles", []*operation{
		wrote(1, 2, "a", create, "v1"), lost(3, 5, "b", "If-Match: v1", "v2", 8), unmet(9, 10, "c", create, "v1"), saw(11, 12, "b", "v2")}},
	{"an unknown write appears after a conditional write that settles", []*operation{
		wrote(1, 2, "a", create, "v1"), lost(3, 5, "b", "", "", 8), wrote(9, 10, "c", "If-Match: v1", "v2"), saw(11, 12, "b", "v3")}},
	{"an unknown deletion happens after a read that settles", []*operation{
		wrote(1, 2, "a", create, "v1"), lostDeletion(3, 5, "If-Match: v1", "", 8), saw(9, 10, "a", "v1"), sawNothing(11, 12, "")}},
	{"an unknown write happens twice", []*operation{
		wrote(1, 2, "a", create, "v1"), lost(3, 4, "b", "", "", 0), saw(5, 6, "b", "v2"), wrote(7, 8, "c", "If-Match: v2", "v3"),
		saw(9, 10, "b", "v4")}},
	{"an unknown write happens on what is gone", []*operation{
		wrote(1, 2, "a", create, "v1"), wrote(3, 4, "b", "If-Match: v1", "v2"), lost(5, 6, "c", "If-Match: v1", "", 0), saw(7, 8, "c", "v3")}},
	{"an unknown write has another version than it was to have", []*operation{
		lost(1, 2, "a", "", "v1", 0), saw(3, 4, "a", "v2")}},
	{"one unknown write has two versions", []*operation{
		lost(1, 2, "a", "", "", 0), unmet(3, 4, "b", create, "v1"), unmet(5, 6, "c", create, "v2")}},
	{"two values have one version", []*operation{wrote(1, 2, "a", "", "v1"), wrote(3, 4, "b", "", "v1")}},
	{"two values are read with one version", []*operation{
		wrote(1, 2, "a", "", "v1"), wrote(3, 4, "b", "", "v2"), saw(5, 6, "b", "v1")}},
	{"a read of another value of this version", []*operation{wrote(1, 2, "a", "", "v1"), wrote(3, 4, "b", "", "v2"), saw(5, 6, "a", "v2")}},
	{"one value has two versions", []*operation{wrote(1, 2, "a", "", "v1"), saw(3, 4, "a", "v2")}},
	{"an unknown deletion has an older version", []*operation{
		wrote(1, 2, "a", "", "v5"), lostDeletion(3, 4, "", "", 0), sawNothing(5, 6, "v3")}},
	{"versions fall", []*operation{wrote(1, 2, "a", "", "v2"), wrote(3, 4, "b", "", "v1")}},
	{"an acknowledged plain write lies between", []*operation{
		wrote(1, 2, "a", create, "v1"), plain(3, 4, "c", "v2"), wrote(5, 6, "b", "If-Match: v1", "v3")}},
	{"an acknowledged plain write is lost", []*operation{
		wrote(1, 2, "a", create, "v1"), plain(3, 4, "b", "v2"), saw(5, 6, "a", "v1")}},
	{"a refusal names another version than that of the plain write", []*operation{
		wrote(1, 2, "a", create, "v1"), plain(3, 4, "b", "v2"), unmet(5, 6, "c", create, "v3")}},
	{"a refusal after an acknowledged plain write", []*operation{
		wrote(1, 2, "a", create, "v1"), plain(3, 4, "b", "v2"), unmet(5, 6, "c", create, "v1")}},
	{"a creation that a concurrent plain write has neither overwritten nor gone before", []*operation{
		wrote(2, 5, "b", create, "v3"), plain(1, 6, "a", "v2"), saw(7, 8, "b", "v3")}},
	{"versions of plain writes that are seen fall", []*operation{
		plain(1, 2, "a", "v2"), plain(3, 4, "b", "v1"), saw(5, 6, "b", "v1"), saw(3, 3, "a", "v2")}},
}

var legal = []example{
	{"one client", []*operation{
		sawNothing(1, 2, ""), wrote(3, 4, "a", create, "v1"), saw(5, 6, "a", "v1"), unmet(7, 8, "b", create, "v1"),
		wrote(9, 10, "c", "If-Match: v1", "v2"), wrote(11, 12, "d", "If-Match: *", "v3"), wrote(13, 14, "e", "If-Match: v7, v3", "v4"),
		wrote(15, 16, "f", "If-None-Match: v3", "v5"), deleted(17, 18, "If-Match: v5", "v6"), sawNothing(19, 20, "v6"),
		unmet(21, 22, "g", "If-Match: v5", ""), notWritten(23, 24, "h"), wrote(25, 26, "i", create, "v7"), saw(27, 28, "i", "v7")}},
	{"a deletion that is purged", []*operation{wrote(1, 2, "a", create, "v1"), deleted(3, 4, "", "v2"), sawNothing(5, 6, "")}},
	{"concurrent writes", []*operation{
		wrote(1, 10, "a", "", "v2"), wrote(2, 9, "b", "", "v1"), wrote(3, 8, "c", "If-Match: v2", "v3"), saw(4, 5, "b", "v1"),
		saw(4, 7, "c", "v3"), saw(6, 11, "a", "v2"), unmet(3, 12, "d", create, "v2")}},
	{"a read at the instant of the return", []*operation{wrote(1, 2, "a", create, "v1"), sawNothing(2, 3, "")}},
	{"an unknown write is seen late", []*operation{
		wrote(1, 2, "a", create, "v1"), lost(3, 4, "b", "If-Match: v1", "", 0), saw(5, 6, "a", "v1"), saw(7, 8, "b", "v2")}},
	{"an unknown write is seen before its deadline, and after a read that began before it", []*operation{
		wrote(1, 2, "a", create, "v1"), lost(3, 5, "b", "If-Match: v1", "", 8), saw(8, 10, "a", "v1"), saw(11, 12, "b", "v2")}},
	{"an unknown write never happens", []*operation{
		wrote(1, 2, "a", create, "v1"), lost(3, 4, "b", "If-Match: v1", "v2", 6), saw(7, 8, "a", "v1"), wrote(9, 10, "c", "If-Match: v1", "v3")}},
	{"an unknown plain write is seen after reads", []*operation{
		wrote(1, 2, "a", create, "v1"), lost(3, 4, "b", "", "", 0), saw(5, 6, "a", "v1"), wrote(7, 8, "c", "If-Match: v1", "v2"),
		saw(9, 10, "c", "v2"), saw(11, 12, "b", "v3")}},
	{"an unknown write is known by its version alone", []*operation{
		wrote(1, 2, "a", create, "v1"), lost(3, 4, "b", "If-Match: v1", "", 0), lost(3, 4, "c", "If-Match: v1", "", 0),
		unmet(5, 6, "d", create, "v2"), unmet(7, 8, "e", create, "v2"), wrote(9, 10, "f", "If-Match: v2", "v3")}},
	{"an unknown write fulfils a condition that does not name it", []*operation{
		lost(1, 2, "a", "", "", 0), wrote(3, 4, "b", "If-Match: *", "v1"), lost(5, 6, "c", "", "v2", 0), wrote(7, 8, "d", "If-None-Match: v1", "v3")}},
	{"one of several unknown deletions", []*operation{
		wrote(1, 2, "a", create, "v1"), lostDeletion(3, 4, "If-Match: v1", "", 0), lostDeletion(3, 4, "", "", 0), lostDeletion(3, 4, "", "", 0),
		sawNothing(5, 6, "v2"), wrote(7, 8, "b", create, "v3"), saw(9, 10, "b", "v3"), sawNothing(11, 12, "v4")}},
	{"a creation after an unknown deletion", []*operation{
		wrote(1, 2, "a", create, "v1"), lostDeletion(3, 4, "If-Match: v1", "v2", 0), wrote(5, 6, "b", create, "v3")}},
	{"all that is known is unknown", []*operation{lost(1, 2, "a", create, "", 0), lostDeletion(3, 4, "", "", 0)}},
	{"plain writes between", []*operation{
		wrote(1, 2, "a", create, "v1"), plain(3, 8, "b", "v3"), wrote(4, 7, "c", "If-Match: v1", "v2"), saw(9, 10, "b", "v3")}},
	{"a plain write that a later one overtakes is older than what it has overwritten", []*operation{
		wrote(2, 4, "b", create, "v3"), plain(1, 9, "a", "v2"), unmet(3, 5, "c", create, "v3"), plain(5, 7, "d", "v4"), saw(6, 8, "d", "v4")}},
}

// For one reason each: there is an operation without which it is legal.
func TestIllegalHistories(t *testing.T) {
	for _, each := range illegal {
		t.Run(each.name, func(t *testing.T) {
			if result := judge(t, each.operations); result != porcupine.Illegal {
				t.Errorf("%s", result)
			}
			for i := range each.operations {
				others := append(append([]*operation{}, each.operations[:i]...), each.operations[i+1:]...)
				if judge(t, others) == porcupine.Ok {
					return
				}
			}
			t.Error("illegal for several reasons")
		})
	}
}

func TestLegalHistories(t *testing.T) {
	for _, each := range legal {
		t.Run(each.name, func(t *testing.T) {
			if result := judge(t, each.operations); result != porcupine.Ok {
				t.Errorf("%s", result)
			}
		})
	}
}

func judge(t *testing.T, operations []*operation) porcupine.CheckResult {
	for _, operation := range operations {
		operation.Key = "k"
		if err := operation.check(); err != nil {
			t.Fatal(err)
		}
	}
	return newRegister(operations).judge(0)
}

// Some thousands of states: reads that name no version, in all orders.
func TestASearchThatNeedsTooMuchMemoryIsUndecided(t *testing.T) {
	operations := []*operation{saw(1, 2, "a", "v1")}
	for i := 0; i < 12; i++ {
		operations = append(operations, sawNothing(1, 2, ""))
	}
	if result := judge(t, operations); result != porcupine.Illegal {
		t.Errorf("%s", result)
	}
	register := newRegister(operations)
	register.bytes = 1_000 * bytesOfAState
	if result := register.judge(0); result != porcupine.Unknown {
		t.Errorf("%s", result)
	}
}

func TestReport(t *testing.T) {
	lines := `{"client": 7, "key": "a/1", "kind": "put", "condition": "If-None-Match: *", "value": "x", "call": 1, "return": 2, "outcome": "written", "version": "v1"}
{"client": 9, "key": "b", "kind": "put", "value": "x", "call": 1, "return": 2, "outcome": "unknown"}
{"client": 9, "key": "a/1", "kind": "read", "call": 3, "return": 4, "outcome": "absent"}
{"client": 8, "key": "b", "kind": "read", "value": "x", "call": 3, "return": 4, "outcome": "read", "version": "v1"}
`
	file := filepath.Join(t.TempDir(), "history.jsonl")
	requireReport(t, file, lines, violation, "a/1: 2 operations, 0 unknown", "ILLEGAL", "b: 2 operations, 1 unknown", "linearizable",
		"2 keys, 4 operations, 1 unknown", "1 keys illegal, 0 undecided")
	if page, err := os.ReadFile(file + ".a%2F1.html"); err != nil || !strings.Contains(string(page), "put x If-None-Match: *") {
		t.Errorf("no page: %v", err)
	}
	requireReport(t, file, strings.Join(strings.SplitAfter(lines, "\n")[:2], ""), 0, "0 keys illegal, 0 undecided")
}

func TestUnreadableHistories(t *testing.T) {
	const put = `{"client": 1, "key": "k", "kind": "put", "value": "x", "call": 1, "return": 2, "outcome": "written", "version": "v1"}` + "\n"
	file := filepath.Join(t.TempDir(), "history.jsonl")
	if code := run(file, time.Minute, new(strings.Builder), new(strings.Builder)); code != unreadable {
		t.Errorf("exit code %d without a file", code)
	}
	for _, each := range []string{"", put[:40], put + put[:40], put + put, put + "\n", strings.Replace(put, "client", "cleint", 1),
		strings.Replace(put, "put", "post", 1), strings.Replace(put, "written", "read", 1), strings.Replace(put, "v1", "", 1),
		strings.Replace(put, `"value": "x", `, "", 1), strings.Replace(put, `"return": 2`, `"return": 0`, 1),
		strings.Replace(put, "written", "unmet", 1), strings.Replace(put, `"call"`, `"condition": "If-Modified", "call"`, 1),
		strings.Replace(put, `"k"`, `""`, 1)} {
		requireReport(t, file, each, unreadable)
	}
}

func requireReport(t *testing.T, file, lines string, wanted int, words ...string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	out, errs := new(strings.Builder), new(strings.Builder)
	if code := run(file, time.Minute, out, errs); code != wanted {
		t.Errorf("exit code %d, and not %d, of %s", code, wanted, lines)
	}
	for _, word := range words {
		if !strings.Contains(out.String(), word) {
			t.Errorf("%q is not in: %s", word, out)
		}
	}
	if (wanted == unreadable) != (errs.Len() > 0) {
		t.Errorf("errors of %s: %s", lines, errs)
	}
}
