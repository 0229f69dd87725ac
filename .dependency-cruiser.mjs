/**
 * The arrows of the house: which room may import which. Each room lists its direct suppliers; what those
 * may import is allowed too. A room not listed here may not be imported from, nor import, anything.
 */
const suppliers = {
  units: [],
  random: ["units"],
  schedule: ["random"],
  plan: ["schedule"],
  hdr: ["units"],
  stats: ["hdr"],
  record: ["plan", "stats"],
  verdict: ["record"],
  clock: [],
  driver: ["clock", "units"],
  engine: ["driver", "verdict"],
  server: ["clock", "random", "hdr"],
  format: ["record"],
  report: ["format"],
  cli: ["engine", "server", "report"],
};

const reachable = (room, seen = new Set()) => {
  for (const supplier of suppliers[room]) {
    if (!seen.has(supplier)) {
      seen.add(supplier);
      reachable(supplier, seen);
    }
  }
  return [...seen];
};

const arrows = Object.keys(suppliers).map((room) => ({
  name: `${room}-imports`,
  comment: `${room}/ may import only: ${reachable(room).join(", ") || "nothing"}`,
  severity: "error",
  from: { path: `^src/${room}/`, pathNot: "\\.(test|testkit)\\.ts$" },
  to: { path: "^src/", pathNot: `^src/(${[room, ...reachable(room)].join("|")})/` },
}));

const pure = ["units", "random", "schedule", "plan", "hdr", "stats", "record", "verdict"];

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    ...arrows,
    { name: "no-cycles", severity: "error", from: {}, to: { circular: true } },
    {
      name: "every-room-is-listed",
      severity: "error",
      from: { path: "^src/", pathNot: `^src/(index\\.ts|(${Object.keys(suppliers).join("|")})/)` },
      to: {},
    },
    {
      name: "pure-rooms-have-no-platform",
      severity: "error",
      from: { path: `^src/(${pure.join("|")})/`, pathNot: "\\.(test|testkit)\\.ts$" },
      to: { dependencyTypes: ["core"] },
    },
    {
      name: "zod-only-in-format",
      severity: "error",
      from: { path: "^src/", pathNot: "^src/format/" },
      to: { path: "node_modules/zod" },
    },
    {
      name: "not-to-unresolvable",
      severity: "error",
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: "no-dev-dependencies-in-the-package",
      severity: "error",
      from: { path: "^src/", pathNot: "\\.(test|testkit)\\.ts$" },
      to: { dependencyTypes: ["npm-dev"], pathNot: "node_modules/@types/node" },
    },
    {
      name: "tests-are-not-imported",
      severity: "error",
      from: { path: "^src/", pathNot: "\\.(test|testkit)\\.ts$" },
      to: { path: "\\.(test|testkit)\\.ts$" },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    enhancedResolveOptions: { exportsFields: ["exports"], conditionNames: ["import", "types", "node", "default"] },
  },
};
