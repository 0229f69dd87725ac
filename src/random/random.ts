import { xoroshiro128plusFromState } from "pure-rand/generator/xoroshiro128plus";

/** A seeded source of randomness. Equal (seed, stream) give equal sequences on every run, thread and V8. */
export interface Random {
  /** Uniform in (0, 1): the midpoint of one of 2^52 cells, never 0 nor 1, so that logarithms and quantiles stay finite. */
  readonly uniform: () => number;
}

const SCALE_26 = 2 ** -26;
const SCALE_52 = 2 ** -52;

/**
 * @param seed integer; neighbouring seeds give unrelated sequences
 * @param stream names one of many independent sequences of the same seed (`"arrivals"`, `"service"`)
 */
export function createRandom(seed: number, stream: string): Random {
  const generator = xoroshiro128plusFromState(scramble(seed, stream));
  return {
    uniform: () => {
      const high = generator.next() & 0x3ffffff;
      const low = generator.next() & 0x3ffffff;
      // The largest is 1 − 2^−53, which a double still tells from 1; with a bit more it would round up.
      return high * SCALE_26 + (low + 0.5) * SCALE_52;
    },
  };
}

/**
 * Four well-mixed words from seed and name. The generator's own seeding leaves neighbouring seeds correlated in their
 * first draws. FNV-1a gathers the input; each word then passes MurmurHash3's finalizer (public domain, A. Appleby).
 */
function scramble(seed: number, stream: string): readonly number[] {
  let gathered = 0x811c9dc5;
  const absorb = (byte: number) => {
    gathered = Math.imul(gathered ^ byte, 0x01000193);
  };
  for (let i = 0; i < stream.length; i++) absorb(stream.charCodeAt(i));
  let rest = Math.abs(seed);
  absorb(seed < 0 ? 1 : 0);
  for (let i = 0; i < 7; i++) {
    absorb(rest % 256);
    rest = Math.floor(rest / 256);
  }
  return [1, 2, 3, 4].map((word) => finalize(gathered + Math.imul(word, 0x9e3779b9)));
}

function finalize(word: number): number {
  let mixed = word | 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}
