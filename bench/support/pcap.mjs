import { closeSync, openSync, readSync } from "node:fs";

const CHUNK_BYTES = 1 << 20;
const FILE_HEADER_BYTES = 24;
const RECORD_HEADER_BYTES = 16;
const MAGIC_MICROSECONDS = 0xa1b2c3d4;
const MAGIC_NANOSECONDS = 0xa1b23c4d;
const LINKTYPE_ETHERNET = 1;
const ETHERNET_BYTES = 14;
const ETHERTYPE_IPV4 = 0x0800;
const IP_PROTOCOL_TCP = 6;

/**
 * One TCP segment over IPv4.
 *
 * @typedef {object} Segment
 * @property {number} atNs from the first packet of the file
 * @property {number} sourcePort
 * @property {number} targetPort
 * @property {number} payloadBytes as sent, however much of them was captured
 */

/**
 * Reads a capture file (classic pcap of this machine's byte order, Ethernet frames, as tcpdump writes it on loopback),
 * piece by piece: a capture may be larger than memory.
 *
 * @param {string} path
 * @returns {Generator<Segment>} one object, written anew for each segment
 * @throws {Error} if it is another kind of file
 */
export function* readSegments(path) {
  /** @type {Segment} */
  const segment = { atNs: 0, sourcePort: 0, targetPort: 0, payloadBytes: 0 };
  const file = openSync(path, "r");
  try {
    const header = Buffer.alloc(FILE_HEADER_BYTES);
    readSync(file, header);
    const fraction = nanosecondsPerFraction(header);
    let firstS = Number.NaN;
    for (const record of records(file)) {
      const seconds = record.readUInt32LE(0);
      if (Number.isNaN(firstS)) firstS = seconds;
      // Differences first: seconds since 1970 in ns would not fit a double's 53 bits.
      segment.atNs = (seconds - firstS) * 1e9 + record.readUInt32LE(4) * fraction;
      if (readFrame(record.subarray(RECORD_HEADER_BYTES), segment)) yield segment;
    }
  } finally {
    closeSync(file);
  }
}

/** @param {Buffer} header */
function nanosecondsPerFraction(header) {
  if (header.readUInt32LE(20) !== LINKTYPE_ETHERNET) throw new Error("the capture is not of Ethernet frames");
  const magic = header.readUInt32LE(0);
  if (magic === MAGIC_NANOSECONDS) return 1;
  if (magic === MAGIC_MICROSECONDS) return 1000;
  throw new Error("not a pcap file");
}

/** Records with their header; a last one that was cut off is left out. @param {number} file @returns {Generator<Buffer>} */
function* records(file) {
  let buffer = Buffer.alloc(CHUNK_BYTES);
  let held = 0;
  for (;;) {
    const read = readSync(file, buffer, held, buffer.length - held, null);
    if (read === 0) return;
    held += read;
    let at = 0;
    while (at + RECORD_HEADER_BYTES <= held) {
      const end = at + RECORD_HEADER_BYTES + buffer.readUInt32LE(at + 8);
      if (end > held) break;
      yield buffer.subarray(at, end);
      at = end;
    }
    buffer.copy(buffer, 0, at, held);
    held -= at;
    if (held === buffer.length) buffer = Buffer.concat([buffer, Buffer.alloc(buffer.length)]);
  }
}

/** @param {Buffer} frame @param {Segment} segment @returns {boolean} whether it is TCP over IPv4 */
function readFrame(frame, segment) {
  if (frame.length < ETHERNET_BYTES + 40 || frame.readUInt16BE(12) !== ETHERTYPE_IPV4) return false;
  const ip = ETHERNET_BYTES;
  if (frame[ip + 9] !== IP_PROTOCOL_TCP) return false;
  const tcp = ip + (frame[ip] & 15) * 4;
  if (frame.length < tcp + 20) return false;
  segment.sourcePort = frame.readUInt16BE(tcp);
  segment.targetPort = frame.readUInt16BE(tcp + 2);
  segment.payloadBytes = frame.readUInt16BE(ip + 2) - (tcp - ip) - (frame[tcp + 12] >> 4) * 4;
  return true;
}
