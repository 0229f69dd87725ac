/** What to tell of a limit of this machine that kept connections from being opened. */
export function limitSentence(kind: "no-descriptors" | "no-ports", connections: number, descriptors: number): string {
  return kind === "no-descriptors"
    ? `descriptor limit: this process may open ${descriptors} files; with ${connections} connections open no more could be ` +
        "opened and requests waited. Raise it with ulimit -n"
    : `local ports: with ${connections} connections open none was left for this target and requests waited. ` +
        "Widen net.ipv4.ip_local_port_range, or keep connections alive";
}
