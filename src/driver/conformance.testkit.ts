import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createMonotonicClock, type MonotonicClock } from "../clock/monotonic.js";
import type { Connection, ConnectionListener, Driver, Endpoint, ErrorKind, PreparedRequest } from "./driver.js";

/** What a peer does with one request. */
export type PeerMove =
  | { readonly do: "answer"; readonly status: number; readonly bodyBytes: number; readonly last?: boolean }
  | { readonly do: "stall" }
  | { readonly do: "end"; readonly by: "close" | "reset"; readonly midAnswer: boolean }
  | { readonly do: "babble" };

/** A server that does as it is told. */
export interface Peer {
  readonly endpoint: Endpoint;
  /** What to do with the requests to come, in order; with all others: answer 200 and 5 bytes. */
  script(...moves: PeerMove[]): void;
  readonly connections: number;
  readonly requests: number;
  /** Closes all connections in good order. */
  hangUp(): void;
  stop(): Promise<void>;
}

export interface Conformance {
  readonly startPeer: () => Promise<Peer>;
  readonly createDriver: (endpoint: Endpoint, listener: ConnectionListener, clock: MonotonicClock) => Driver;
  readonly request: PreparedRequest;
  /** One that asks the peer to close after the answer. */
  readonly closingRequest: PreparedRequest;
  /** Whether the transport knows resets. */
  readonly resets: boolean;
}

export interface Happening {
  readonly what: "open" | "first" | "done" | "fail" | "gone";
  readonly connection: Connection;
  readonly state: string;
  readonly atNs: number;
  readonly status?: number;
  readonly bodyBytes?: number;
  readonly kind?: ErrorKind;
  readonly detail?: string;
  readonly sawFirstByte?: boolean;
}

/** Writes down what is reported, and lets a test act from inside a report. */
export class Recorder implements ConnectionListener {
  readonly happenings: Happening[] = [];
  react: (happening: Happening) => void = () => {};
  private wake: () => void = () => {};

  onOpen(connection: Connection, atNs: number): void {
    this.note({ what: "open", connection, state: connection.state, atNs });
  }
  onFirstByte(connection: Connection, atNs: number): void {
    this.note({ what: "first", connection, state: connection.state, atNs });
  }
  onDone(connection: Connection, status: number, bodyBytes: number, atNs: number): void {
    this.note({ what: "done", connection, state: connection.state, atNs, status, bodyBytes });
  }
  onFail(connection: Connection, kind: ErrorKind, detail: string, sawFirstByte: boolean, atNs: number): void {
    this.note({ what: "fail", connection, state: connection.state, atNs, kind, detail, sawFirstByte });
  }
  onGone(connection: Connection, kind: ErrorKind, detail: string, atNs: number): void {
    this.note({ what: "gone", connection, state: connection.state, atNs, kind, detail });
  }

  of(what: Happening["what"]): readonly Happening[] {
    return this.happenings.filter((happening) => happening.what === what);
  }

  /** The first `count` of a kind, as soon as there are so many. */
  async until(what: Happening["what"], count = 1): Promise<Happening> {
    while (this.of(what).length < count) {
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
    return this.of(what)[count - 1]!;
  }

  /** The order of events on one connection. */
  story(connection: Connection): string {
    return this.happenings
      .filter((happening) => happening.connection === connection)
      .map(({ what, state }) => `${what}:${state}`)
      .join(" ");
  }

  private note(happening: Happening): void {
    this.happenings.push(happening);
    this.react(happening);
    this.wake();
  }
}

/** Long enough for anything on its way through the kernel to come out. */
const settle = () => new Promise<void>((resolve) => setTimeout(resolve, 60));

/** The suite every driver must pass. */
export function describeDriver(name: string, conformance: Conformance): void {
  const { request, closingRequest } = conformance;

  describe(`${name} keeps the contract`, () => {
    const clock = createMonotonicClock();
    let peer: Peer;
    let recorder: Recorder;
    let driver: Driver;

    beforeEach(async () => {
      peer = await conformance.startPeer();
      recorder = new Recorder();
      driver = conformance.createDriver(peer.endpoint, recorder, clock);
    });
    afterEach(async () => {
      driver.close();
      await peer.stop();
    });

    const sendWhenOpen = () => {
      recorder.react = ({ what, connection }) => {
        if (what === "open") connection.send(request);
      };
    };

    it("opens, and says so later", async () => {
      const connection = driver.connect();
      expect(connection.state).toBe("connecting");
      expect(connection.exchanges).toBe(0);
      expect(recorder.happenings).toEqual([]);
      await recorder.until("open");
      expect(recorder.story(connection)).toBe("open:idle");
      expect(connection.reusableUntilNs).toBe(Number.POSITIVE_INFINITY);
    });

    it("carries the owner's tag", async () => {
      const connection = driver.connect();
      connection.tag = 42;
      const { connection: opened } = await recorder.until("open");
      expect(opened).toBe(connection);
      expect(opened.tag).toBe(42);
    });

    it("carries an exchange, its times in order", async () => {
      peer.script({ do: "answer", status: 404, bodyBytes: 1234 });
      let sentNs = 0;
      recorder.react = ({ what, connection }) => {
        if (what !== "open") return;
        sentNs = clock.nowNs();
        connection.send(request);
        expect(connection.state).toBe("busy");
        expect(connection.exchanges).toBe(1);
      };
      const connection = driver.connect();
      const done = await recorder.until("done");
      expect(recorder.story(connection)).toBe("open:idle first:busy done:idle");
      expect(done).toMatchObject({ status: 404, bodyBytes: 1234 });
      const first = await recorder.until("first");
      expect(first.atNs).toBeGreaterThanOrEqual(sentNs);
      expect(done.atNs).toBeGreaterThanOrEqual(first.atNs);
      expect(clock.nowNs()).toBeGreaterThanOrEqual(done.atNs);
    });

    it("is used again from inside onDone", async () => {
      recorder.react = ({ what, connection }) => {
        if (what === "open" || (what === "done" && connection.exchanges < 5)) connection.send(request);
      };
      const connection = driver.connect();
      await recorder.until("done", 5);
      await settle();
      expect(recorder.story(connection)).toBe(
        "open:idle first:busy done:idle first:busy done:idle first:busy done:idle first:busy done:idle first:busy done:idle",
      );
      expect(connection.exchanges).toBe(5);
      expect({ connections: peer.connections, requests: peer.requests }).toEqual({ connections: 1, requests: 5 });
    });

    it("counts a body larger than any buffer", async () => {
      peer.script({ do: "answer", status: 200, bodyBytes: 5_000_000 });
      sendWhenOpen();
      driver.connect();
      expect((await recorder.until("done")).bodyBytes).toBe(5_000_000);
    });

    it("refuses to send unless idle", async () => {
      peer.script({ do: "stall" });
      const connection = driver.connect();
      expect(() => connection.send(request)).toThrow(/connecting/);
      await recorder.until("open");
      connection.send(request);
      expect(() => connection.send(request)).toThrow(/busy/);
      connection.destroy();
      expect(() => connection.send(request)).toThrow(/dead/);
      expect(connection.exchanges).toBe(1);
    });

    it("says that nobody listens, and not from inside connect", async () => {
      await peer.stop();
      const connection = driver.connect();
      expect(recorder.happenings).toEqual([]);
      expect(await recorder.until("gone")).toMatchObject({ kind: "refused" });
      await settle();
      expect(recorder.story(connection)).toBe("gone:dead");
    });

    for (const by of ["close", "reset"] as const) {
      if (by === "reset" && !conformance.resets) continue;
      const kind = by === "close" ? "closed" : "reset";

      it(`fails the exchange on a ${by} before the answer`, async () => {
        peer.script({ do: "end", by, midAnswer: false });
        sendWhenOpen();
        const connection = driver.connect();
        expect(await recorder.until("fail")).toMatchObject({ kind, sawFirstByte: false });
        await settle();
        expect(recorder.story(connection)).toBe("open:idle fail:dead");
      });

      it(`fails the exchange on a ${by} amid the answer`, async () => {
        peer.script({ do: "end", by, midAnswer: true });
        sendWhenOpen();
        const connection = driver.connect();
        expect(await recorder.until("fail")).toMatchObject({ kind, sawFirstByte: true });
        await settle();
        expect(recorder.story(connection)).toBe("open:idle first:busy fail:dead");
      });
    }

    it("fails the exchange on what is not the protocol", async () => {
      peer.script({ do: "babble" });
      sendWhenOpen();
      const connection = driver.connect();
      expect(await recorder.until("fail")).toMatchObject({ kind: "protocol", state: "dead" });
      await settle();
      expect(recorder.of("done")).toEqual([]);
      expect(recorder.of("gone")).toEqual([]);
      expect(connection.state).toBe("dead");
    });

    it("is dead after an answer that was the last, without another word", async () => {
      peer.script({ do: "answer", status: 200, bodyBytes: 7, last: true });
      sendWhenOpen();
      const connection = driver.connect();
      await recorder.until("done");
      await settle();
      expect(recorder.story(connection)).toBe("open:idle first:busy done:dead");
    });

    it("is dead after a request that asked for it", async () => {
      recorder.react = ({ what, connection }) => {
        if (what === "open") connection.send(closingRequest);
      };
      const connection = driver.connect();
      await recorder.until("done");
      await settle();
      expect(recorder.story(connection)).toBe("open:idle first:busy done:dead");
    });

    it("reports an idle connection the peer closed, once", async () => {
      const connection = driver.connect();
      await recorder.until("open");
      await settle();
      peer.hangUp();
      expect(await recorder.until("gone")).toMatchObject({ kind: "closed" });
      await settle();
      expect(recorder.story(connection)).toBe("open:idle gone:dead");
    });

    it("is silent once destroyed: connecting, idle, busy, amid the answer", async () => {
      peer.script({ do: "stall" });
      const connecting = driver.connect();
      connecting.destroy();
      const idle = driver.connect();
      await recorder.until("open", 1);
      idle.destroy();
      const busy = driver.connect();
      await recorder.until("open", 2);
      busy.send(request);
      await settle();
      busy.destroy();
      busy.destroy();
      peer.script({ do: "answer", status: 200, bodyBytes: 1_000_000 });
      recorder.react = ({ what, connection }) => {
        if (what === "open") connection.send(request);
        if (what === "first") connection.destroy();
      };
      const amid = driver.connect();
      await recorder.until("first");
      peer.hangUp();
      await settle();
      expect([connecting, idle, busy, amid].map((one) => one.state)).toEqual(["dead", "dead", "dead", "dead"]);
      expect([connecting, idle, busy].map((one) => recorder.story(one))).toEqual(["", "open:idle", "open:idle"]);
      expect(recorder.story(amid)).toBe("open:idle first:busy");
    });

    it("lets each report destroy its own connection", async () => {
      for (const what of ["open", "done"] as const) {
        const count = recorder.happenings.length;
        recorder.react = (happening) => {
          if (happening.what === what) happening.connection.destroy();
          else if (happening.what === "open") happening.connection.send(request);
        };
        const connection = driver.connect();
        await recorder.until(what, recorder.of(what).length + 1);
        await settle();
        expect(connection.state).toBe("dead");
        expect(recorder.happenings.length - count).toBe(what === "open" ? 1 : 3);
      }
    });

    it("lets one connection's report destroy another", async () => {
      peer.script({ do: "stall" });
      const other = driver.connect();
      await recorder.until("open");
      other.send(request);
      await settle();
      recorder.react = ({ what, connection }) => {
        if (what === "open") connection.send(request);
        if (what === "done") other.destroy();
      };
      driver.connect();
      await recorder.until("done");
      peer.hangUp();
      await settle();
      expect(recorder.story(other)).toBe("open:idle");
    });

    it("opens a new connection from inside a failure", async () => {
      peer.script({ do: "end", by: "close", midAnswer: false });
      recorder.react = ({ what, connection }) => {
        if (what === "open") connection.send(request);
        if (what === "fail") driver.connect();
      };
      driver.connect();
      expect(await recorder.until("done")).toMatchObject({ status: 200, bodyBytes: 5 });
      expect(peer.connections).toBe(2);
    });

    it("is silent once the driver is closed", async () => {
      peer.script({ do: "stall" });
      const busy = driver.connect();
      await recorder.until("open");
      busy.send(request);
      const connecting = driver.connect();
      const count = recorder.happenings.length;
      driver.close();
      peer.hangUp();
      await settle();
      expect(recorder.happenings.length).toBe(count);
      expect([busy.state, connecting.state]).toEqual(["dead", "dead"]);
    });

    it("ends each of many interleaved exchanges exactly once", async () => {
      const total = 400;
      peer.script(
        ...Array.from({ length: total }, (_, i): PeerMove => {
          if (i % 7 === 3) return { do: "end", by: "close", midAnswer: i % 2 === 0 };
          return { do: "answer", status: 200, bodyBytes: (i * 997) % 3000, last: i % 11 === 5 };
        }),
      );
      let begun = 0;
      const begin = (connection: Connection) => {
        if (begun >= total) return;
        begun++;
        connection.send(request);
      };
      recorder.react = ({ what, connection }) => {
        if (what === "open" || (what === "done" && connection.state === "idle")) begin(connection);
        else if ((what === "done" || what === "fail") && begun < total) driver.connect();
      };
      for (let i = 0; i < 20; i++) driver.connect();
      while (recorder.of("done").length + recorder.of("fail").length < total) await settle();
      await settle();
      expect(peer.requests).toBe(total);
      expect(recorder.of("done").length + recorder.of("fail").length).toBe(total);
      expect(recorder.of("fail").length).toBe(
        Array.from({ length: total }, (_, i) => i).filter((i) => i % 7 === 3).length,
      );
      const whole = /^open:idle( first:busy done:idle)*( first:busy done:dead|( first:busy)? fail:dead)?$/;
      for (const connection of new Set(recorder.happenings.map((happening) => happening.connection))) {
        expect(recorder.story(connection)).toMatch(whole);
      }
    });
  });
}
