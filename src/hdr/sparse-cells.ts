/** Counted cells as plain data, to be kept and sent between threads: sorted by index, each index once. */
export interface SparseCells {
  readonly indices: Int32Array | Uint16Array;
  readonly counts: Float64Array | Uint32Array | Uint16Array | Uint8Array;
  readonly overflow: number;
}

/** A copy in the narrowest arrays that hold it: 3 bytes a cell for most windows, where 12 would do for all. */
export function narrowCells(indices: Int32Array, counts: Float64Array | Int32Array, overflow: number): SparseCells {
  const wide = (indices.at(-1) ?? 0) > 0xffff;
  let largest = 0;
  for (const count of counts) if (count > largest) largest = count;
  return {
    indices: wide ? indices.slice() : Uint16Array.from(indices),
    counts: new (narrowestFor(largest))(counts),
    overflow,
  };
}

function narrowestFor(count: number) {
  if (count <= 0xff) return Uint8Array;
  if (count <= 0xffff) return Uint16Array;
  return count <= 0xffffffff ? Uint32Array : Float64Array;
}
