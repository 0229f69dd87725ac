import { readFileSync } from "node:fs";
import { cpus, hostname, networkInterfaces, totalmem } from "node:os";
import type { Host } from "../record/record.js";

/** This machine, as far as it matters for what a run on it is worth. */
export function describeHost(target: string): Host {
  const processors = cpus();
  return {
    hostname: hostname(),
    platform: `${process.platform} ${process.arch}`,
    cpu: processors[0]?.model.trim() ?? "unknown",
    cores: processors.length,
    memoryBytes: totalmem(),
    runtime: `node ${process.version}`,
    target,
  };
}

/** Names and addresses under which this machine reaches itself. */
export function ownHosts(): readonly string[] {
  const addresses = Object.values(networkInterfaces()).flatMap((list) => (list ?? []).map(({ address }) => address));
  return ["localhost", "::1", "0.0.0.0", "::", hostname(), ...addresses];
}

const UNKNOWN_LIMIT = 1024;

/**
 * How many files and sockets this process may open. Node raises its soft limit to the hard one at start, so the kernel is asked
 * and not the shell; where it cannot be asked, the smallest customary limit.
 */
export function descriptorLimit(): number {
  try {
    const limits = readFileSync("/proc/self/limits", "utf8");
    const [, soft] = /^Max open files\s+(\d+|unlimited)/m.exec(limits) ?? [];
    return soft === "unlimited" ? 1_000_000 : Number(soft ?? UNKNOWN_LIMIT);
  } catch {
    return process.platform === "darwin" ? 10_240 : UNKNOWN_LIMIT;
  }
}
