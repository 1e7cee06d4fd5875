"""`chatui doctor`: what a person runs when something does not work, in the app and on the command line.

```
async with Patient.of(options, is_offline=...) as patient:
    diagnosis = await examine(patient, tell)      # tell(section) is called as each check ends
```

A check is one file in `checks` with a constant `CHECK`. Checks may block for a while (a database, a command
that prints a key), so the app examines in a thread with an event loop of its own.
"""
