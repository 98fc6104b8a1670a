// Judges a history of one key after another: whether what the clients of a cluster were told can be explained by one
// register for each key, as promised for conditional and linearizable requests. The history is a file of JSON, one operation
// a line (see operation.go). Prints a line for each key and a summary; for a key that is illegal it writes a page that shows
// its operations beside the history. Exit code 1: a key is illegal, or undecided in the time. 2: the history cannot be read.
//
//	go run . [-limit 60s] HISTORY
package main

import (
	"flag"
	"fmt"
	"io"
	"net/url"
	"os"
	"time"

	"github.com/anishathalye/porcupine"
)

const (
	violation  = 1
	unreadable = 2
	// A page of more operations can neither be made nor read.
	mostDrawn = 3_000
)

func main() {
	limit := flag.Duration("limit", time.Minute, "time for each key")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "no history is named: go run . [-limit 60s] HISTORY")
		os.Exit(unreadable)
	}
	os.Exit(run(flag.Arg(0), *limit, os.Stdout, os.Stderr))
}

func run(file string, limit time.Duration, out, errs io.Writer) int {
	keys, err := readHistory(file)
	if err != nil {
		fmt.Fprintf(errs, "%s: %v\n", file, err)
		return unreadable
	}
	began := time.Now()
	operations, unknown, illegal, undecided := 0, 0, 0, 0
	for _, key := range keys {
		began := time.Now()
		register := newRegister(key.operations)
		word := "linearizable"
		switch register.judge(limit) {
		case porcupine.Illegal:
			illegal++
			word = "ILLEGAL"
			page := file + "." + url.PathEscape(key.name) + ".html"
			if len(register.history) > mostDrawn {
				word += ", too long for a page"
			} else if err := register.draw(limit, page); err != nil {
				fmt.Fprintln(errs, err)
			} else {
				word += ", see " + page
			}
		case porcupine.Unknown:
			undecided++
			word = "UNDECIDED"
		}
		lost := key.count("unknown")
		fmt.Fprintf(out, "%s: %d operations, %d unknown, %.3f s: %s\n", key.name, len(key.operations), lost,
			time.Since(began).Seconds(), word)
		operations += len(key.operations)
		unknown += lost
	}
	fmt.Fprintf(out, "%d keys, %d operations, %d unknown, %.3f s: %d keys illegal, %d undecided\n", len(keys), operations, unknown,
		time.Since(began).Seconds(), illegal, undecided)
	if illegal+undecided > 0 {
		return violation
	}
	return 0
}
