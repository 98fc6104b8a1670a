package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
)

// An operation of a client, as it is in the history. Each value is written to a key by one operation at most.
type operation struct {
	Client int64  `json:"client"`
	Key    string `json:"key"`
	// read, put, delete, plain-put, plain-delete. Plain reads are not judged, and not in the history.
	Kind string `json:"kind"`
	// The header field of a conditional write, such as If-None-Match: *
	Condition string `json:"condition"`
	// What a put writes, or a read has got.
	Value *string `json:"value"`
	// In nanoseconds of one clock.
	Call   int64 `json:"call"`
	Return int64 `json:"return"`
	// written; unmet (412); not-written, and never will be; unknown; read, absent (200 and 404 of a read)
	Outcome string `json:"outcome"`
	// ETag or Quorate-Version, also that which a write of unknown outcome has if it has happened.
	Version string `json:"version"`
	// The version of the value that is there instead of the one wanted; none when there is no value.
	Current string `json:"current"`
	// Of unknown outcome: the instant after which it is settled by the next linearizable read. None: it never is.
	Deadline int64 `json:"deadline"`

	isPlain   bool
	condition *condition
}

func (o *operation) isRead() bool {
	return o.Kind == "read"
}

func (o *operation) isUnknown() bool {
	return o.Outcome == "unknown"
}

func (o *operation) check() error {
	kind, isPlain := strings.CutPrefix(o.Kind, "plain-")
	o.Kind, o.isPlain = kind, o.isPlain || isPlain
	outcomes := map[string]string{"read": "read absent", "put": "written unmet not-written unknown",
		"delete": "written unmet not-written unknown"}
	known := false
	for _, each := range strings.Fields(outcomes[o.Kind]) {
		known = known || each == o.Outcome
	}
	isPut := o.Kind == "put"
	switch {
	case o.Key == "":
		return errors.New("no key")
	case !known:
		return fmt.Errorf("no outcome %q of kind %q", o.Outcome, o.Kind)
	case o.Call > o.Return:
		return errors.New("it returns before its call")
	case (o.Value != nil) != (isPut || o.Outcome == "read"):
		return errors.New("a value belongs to a put, and to a read of one")
	case o.Version == "" && (o.Outcome == "read" || o.Outcome == "written"):
		return errors.New("no version")
	case o.Outcome == "unmet" && o.Condition == "":
		return errors.New("no condition")
	case o.isPlain && (o.isRead() || o.Condition != ""):
		return errors.New("plain are writes without a condition")
	}
	if o.Deadline == 0 {
		o.Deadline = math.MaxInt64
	}
	var err error
	o.condition, err = parseCondition(o.Condition)
	return err
}

func (o *operation) String() string {
	words := []string{o.Kind}
	if o.Value != nil && !o.isRead() {
		words = append(words, *o.Value)
	}
	if o.Condition != "" {
		words = append(words, o.Condition)
	}
	words = append(words, "->", o.Outcome)
	if o.Value != nil && o.isRead() {
		words = append(words, *o.Value)
	}
	return strings.Join(append(words, o.Version, o.Current), " ")
}

// A condition wants one of some versions or, negated, none of them. No versions stand for a value of whatever version.
type condition struct {
	negated  bool
	versions []string
}

func parseCondition(field string) (*condition, error) {
	if field == "" {
		return nil, nil
	}
	name, list, found := strings.Cut(field, ": ")
	if !found || name != "If-Match" && name != "If-None-Match" {
		return nil, fmt.Errorf("no condition: %q", field)
	}
	if list == "*" {
		return &condition{negated: name == "If-None-Match"}, nil
	}
	return &condition{name == "If-None-Match", strings.Split(list, ", ")}, nil
}

// Whether it can be fulfilled by values of several versions.
func (c *condition) isVague() bool {
	return c != nil && (c.negated && c.versions != nil || !c.negated && len(c.versions) != 1)
}

// The operations on one key.
type keyHistory struct {
	name       string
	operations []*operation
}

func (k *keyHistory) count(outcome string) int {
	count := 0
	for _, each := range k.operations {
		if each.Outcome == outcome {
			count++
		}
	}
	return count
}

// Each key's operations, in the order of their first lines.
func readHistory(file string) ([]*keyHistory, error) {
	content, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer content.Close()
	return parseHistory(content)
}

func parseHistory(content io.Reader) ([]*keyHistory, error) {
	var keys []*keyHistory
	byName := make(map[string]*keyHistory)
	values := make(map[[2]string]int)
	lines := bufio.NewScanner(content)
	number := 0
	for lines.Scan() {
		number++
		read := new(operation)
		decoder := json.NewDecoder(strings.NewReader(lines.Text()))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(read); err != nil {
			return nil, fmt.Errorf("line %d: %v", number, err)
		}
		if err := read.check(); err != nil {
			return nil, fmt.Errorf("line %d: %v", number, err)
		}
		if read.Kind == "put" {
			value := [2]string{read.Key, *read.Value}
			if values[value] > 0 {
				return nil, fmt.Errorf("line %d: line %d writes this value, too", number, values[value])
			}
			values[value] = number
		}
		key := byName[read.Key]
		if key == nil {
			key = &keyHistory{name: read.Key}
			byName[read.Key] = key
			keys = append(keys, key)
		}
		key.operations = append(key.operations, read)
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	if number == 0 {
		return nil, errors.New("no operations")
	}
	return keys, nil
}
