/** An exchange that is still going on. @typedef {{ requestNs: number, answerNs: number }} Exchange */

/**
 * Pairs requests and answers by connection, without a look at what they say: an exchange begins with the first data a
 * client sends after data of the server, and ends with the last data of the server before that.
 *
 * @param {Iterable<import("./pcap.mjs").Segment>} segments in order of time
 * @param {number} serverPort
 * @returns {{ sortedNs: Float64Array, unanswered: number }} how long the exchanges took
 */
export function exchangeTimes(segments, serverPort) {
  /** @type {Map<number, Exchange>} by the client's port */
  const open = new Map();
  /** @type {number[]} */
  const timesNs = [];
  const close = (/** @type {Exchange} */ { requestNs, answerNs }) => timesNs.push(answerNs - requestNs);
  for (const { atNs, sourcePort, targetPort, payloadBytes } of segments) {
    if (payloadBytes === 0) continue;
    const fromClient = targetPort === serverPort;
    const exchange = open.get(fromClient ? sourcePort : targetPort);
    if (!fromClient) {
      if (exchange !== undefined) exchange.answerNs = atNs;
    } else if (exchange === undefined) {
      open.set(sourcePort, { requestNs: atNs, answerNs: Number.NaN });
    } else if (!Number.isNaN(exchange.answerNs)) {
      close(exchange);
      exchange.requestNs = atNs;
      exchange.answerNs = Number.NaN;
    }
  }
  const last = [...open.values()];
  for (const exchange of last) if (!Number.isNaN(exchange.answerNs)) close(exchange);
  const unanswered = last.filter(({ answerNs }) => Number.isNaN(answerNs)).length;
  return { sortedNs: Float64Array.from(timesNs).sort(), unanswered };
}
