// Reads each dashboard with Grafana's foundation SDK, which knows every field of a dashboard, of its panels and of the
// queries of Prometheus; writes it again, and compares: nothing may be lost, changed or added. What Grafana requires and
// a dashboard does not have is a fault, too. For each fault it prints the file, the path in the JSON, and the values.
//
//	go run . FILE ...
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strconv"

	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/cog/plugins"
	"github.com/grafana/grafana-foundation-sdk/go/cog/variants"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "no dashboard is named: go run . FILE ...")
		os.Exit(2)
	}
	plugins.RegisterDefaultPlugins()
	faults := 0
	for _, file := range os.Args[1:] {
		for _, fault := range check(file) {
			fmt.Fprintf(os.Stderr, "%s: %s\n", filepath.Base(file), fault)
			faults++
		}
	}
	if faults > 0 {
		os.Exit(1)
	}
	fmt.Printf("%d dashboards: nothing is lost or changed by Grafana's foundation SDK\n", len(os.Args)-1)
}

func check(file string) []string {
	content, err := os.ReadFile(file)
	if err != nil {
		return []string{err.Error()}
	}
	before, err := decode(content)
	if err != nil {
		return []string{err.Error()}
	}
	// Strictly only for its faults: of a panel without any, this method of the SDK keeps nothing.
	if faults := new(dashboard.Dashboard).UnmarshalJSONStrict(content); !isNone(faults) {
		return named("cannot be read", faults)
	}
	var read dashboard.Dashboard
	if err := json.Unmarshal(content, &read); err != nil {
		return []string{err.Error()}
	}
	if faults := read.Validate(); !isNone(faults) {
		return named("is not valid", faults)
	}
	written, err := json.Marshal(read)
	if err != nil {
		return []string{err.Error()}
	}
	after, err := decode(written)
	if err != nil {
		return []string{err.Error()}
	}
	c := comparison{}
	c.unknown(read)
	c.compare("$", before, after)
	return c.faults
}

// The methods of the SDK return their own type of slices, which is not nil as an error.
func isNone(err error) bool {
	faults, isSlice := err.(cog.BuildErrors)
	return err == nil || isSlice && len(faults) == 0
}

func named(what string, err error) []string {
	faults, isSlice := err.(cog.BuildErrors)
	if !isSlice {
		return []string{what + ": " + err.Error()}
	}
	var texts []string
	for _, fault := range faults {
		texts = append(texts, what+": $."+fault.Path+": "+fault.Message)
	}
	sort.Strings(texts)
	return texts
}

func decode(text []byte) (any, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var value any
	err := decoder.Decode(&value)
	return value, err
}

type comparison struct {
	faults []string
}

func (c *comparison) fault(path string, format string, values ...any) {
	c.faults = append(c.faults, path+" "+fmt.Sprintf(format, values...))
}

// What the SDK does not know it takes as it is: that it is not lost says nothing.
func (c *comparison) unknown(read dashboard.Dashboard) {
	for i, each := range read.Panels {
		path := fmt.Sprintf("$.panels[%d]", i)
		if each.Panel != nil {
			c.unknownOf(path, *each.Panel)
			continue
		}
		for j, inner := range each.RowPanel.Panels {
			c.unknownOf(fmt.Sprintf("%s.panels[%d]", path, j), inner)
		}
	}
}

func (c *comparison) unknownOf(path string, panel dashboard.Panel) {
	if _, isKnown := cog.ConfigForPanelcfgVariant(panel.Type); !isKnown {
		c.fault(path+".type", "is not known: %q", panel.Type)
	}
	for i, target := range panel.Targets {
		if _, isUnknown := target.(variants.UnknownDataquery); isUnknown {
			c.fault(fmt.Sprintf("%s.targets[%d].datasource", path, i), "is not of a known type")
		}
	}
}

func (c *comparison) compare(path string, before any, after any) {
	switch before := before.(type) {
	case map[string]any:
		c.members(path, before, after)
	case []any:
		c.elements(path, before, after)
	case json.Number:
		number, isNumber := after.(json.Number)
		if !isNumber || !isSame(before, number) {
			c.fault(path, "was %s and became %s", text(before), text(after))
		}
	default:
		if before != after {
			c.fault(path, "was %s and became %s", text(before), text(after))
		}
	}
}

func (c *comparison) members(path string, before map[string]any, written any) {
	after, isObject := written.(map[string]any)
	if !isObject {
		c.fault(path, "was %s and became %s", text(before), text(written))
		return
	}
	for _, name := range sorted(before) {
		value, isThere := after[name]
		if isThere {
			c.compare(path+"."+name, before[name], value)
		} else {
			c.fault(path+"."+name, "was %s and is lost", text(before[name]))
		}
	}
	for _, name := range sorted(after) {
		if _, isThere := before[name]; !isThere {
			c.fault(path+"."+name, "is added: %s", text(after[name]))
		}
	}
}

func (c *comparison) elements(path string, before []any, written any) {
	after, isArray := written.([]any)
	if !isArray || len(after) != len(before) {
		c.fault(path, "was %s and became %s", text(before), text(written))
		return
	}
	for i := range before {
		c.compare(fmt.Sprintf("%s[%d]", path, i), before[i], after[i])
	}
}

// Says whether two texts are one number. The SDK has some as float32, of which it writes the shortest text.
func isSame(one json.Number, other json.Number) bool {
	first, firstFault := strconv.ParseFloat(one.String(), 64)
	second, secondFault := strconv.ParseFloat(other.String(), 64)
	return firstFault == nil && secondFault == nil && first == second
}

func sorted(object map[string]any) []string {
	names := make([]string, 0, len(object))
	for name := range object {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

func text(value any) string {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return err.Error()
	}
	return string(bytes.TrimSpace(text.Bytes()))
}
