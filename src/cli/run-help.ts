export const RUN_EXAMPLES = `
Examples:
  Does the server hold up at 400/s? Two minutes, the first ten seconds apart:
    $ tailrace run --rate 400 --duration 130s --warmup 10s \\
        https://localhost:8443/search

  The same arrivals again, for a fair comparison:
    $ tailrace run --rate 400 --seed 7 --json before.json http://127.0.0.1:8090/

  A POST with a secret that shows in no process list and in no output:
    $ tailrace run -d @query.json -H 'Content-Type: application/json' \\
        -H 'Authorization: Bearer \${TOKEN}' http://127.0.0.1:8090/

  What 16 users see who wait for each answer:
    $ tailrace run --closed 16 http://127.0.0.1:8090/

  Is it the right page? One request, both sides shown:
    $ tailrace run --check http://127.0.0.1:8090/

How to read it:
  response   from the intended send time until all is there: what a user feels
  answered   the same of the ok ones only
  service    from the actual send time: what most tools call latency
  send lag   the difference: generator lateness, and waiting for a connection

Exit code: 0 done, 1 cut short or not written, 2 nothing was sent, 130 stopped.
Ctrl-C once ends the schedule and waits for what is out; twice ends at once.
Either way what was measured is printed and written.`;
