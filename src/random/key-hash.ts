/**
 * A number in [0, 1) that belongs to a key: the same in every process and for every seed, unrelated between
 * neighbouring keys. FNV-1a over the UTF-16 code units, then MurmurHash3's finalizer, without which keys that differ
 * in their last character only would fall close together.
 */
export function uniformOfKey(key: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < key.length; i++) hash = Math.imul(hash ^ key.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}
