import { spawnSync } from "node:child_process";
import { it } from "vitest";

/** What a few tests need of the machine beyond Node. */
export interface Ability {
  readonly name: string;
  readonly there: boolean;
}

function tryOut(name: string, line: string): Ability {
  return { name, there: spawnSync("sh", ["-c", line], { stdio: "ignore" }).status === 0 };
}

/** Root, `unshare` and `ip`: a network of one's own, whose sysctls may be set. */
export const networkNamespaces = tryOut(
  "network namespaces (root, util-linux, iproute2)",
  "unshare -n sh -c 'ip link set lo up && echo 40000 40060 > /proc/sys/net/ipv4/ip_local_port_range'",
);

/** Root and `unshare`: a small file system of one's own, seen by nobody else. */
export const mountNamespaces = tryOut(
  "mount namespaces (root, util-linux)",
  "unshare -m sh -c 'mount -t tmpfs -o size=64k tmpfs /mnt'",
);

export const fullDevice = tryOut("/dev/full (Linux)", "test -c /dev/full");
export const procFiles = tryOut("/proc (Linux)", "test -r /proc/self/limits");

/**
 * A test that needs an ability. Where it lacks the test is skipped and says so in its name; on a continuous-integration
 * machine, which ought to have them all, it fails instead.
 */
export function itWith(ability: Ability, name: string, body: () => Promise<void>): void {
  if (ability.there) it(name, body);
  else if (process.env.CI === "true") {
    it(name, () => {
      throw new Error(`this machine has no ${ability.name}, which this test needs`);
    });
  } else it.skip(`${name} (needs ${ability.name})`, body);
}
