// What tsc leaves undone: the bin is made executable, for where the checkout itself is linked, and the record's JSON Schema is
// written out for other tools.
import { chmodSync, writeFileSync } from "node:fs";

const dist = new URL("../dist/", import.meta.url);
const { runJsonSchema } = await import(new URL("format/schema.js", dist));

chmodSync(new URL("cli/main.js", dist), 0o755);
writeFileSync(new URL("run.schema.json", dist), `${JSON.stringify(runJsonSchema(), null, 2)}\n`);
