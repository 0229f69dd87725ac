/** A server could not be started, for a reason its user can do something about. The message is one line. */
export class ServerStartError extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.name = "ServerStartError";
    this.code = code;
  }

  /** Says what the system's error means for one who asked for this host and port. */
  static from(error: NodeJS.ErrnoException, where: { readonly host: string; readonly port: number }): ServerStartError {
    const code = error.code ?? "UNKNOWN";
    return new ServerStartError(code, explain(code, where.host, where.port) ?? error.message);
  }
}

function explain(code: string, host: string, port: number): string | undefined {
  switch (code) {
    case "EADDRINUSE":
      return `--port: ${port} on ${host} is taken by another program; choose another, or --port 0 for any free one`;
    case "EACCES":
      return `--port: this user may not listen on port ${port}; choose one above 1023`;
    case "EADDRNOTAVAIL":
      return `--host: "${host}" is not an address of this machine; write 127.0.0.1, or 0.0.0.0 for all of its addresses`;
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return `--host: the name "${host}" is unknown; write an address of this machine, like 127.0.0.1`;
    default:
      return undefined;
  }
}
