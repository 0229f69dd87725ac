import { chmodSync } from "node:fs";

// tsc writes plain files; the package's bin must be executable where the checkout itself is linked.
chmodSync(new URL("../dist/cli/main.js", import.meta.url), 0o755);
