/** Numbers that sit on the edges of length, offset and type fields. */
const EDGES = [
  0, 1, 2, 3, 5, 7, 8, 0x7f, 0xff, 0x100, 0x7fff, 0xffff, 0x10000, 0x7fffffff, 0x80000000, 0xfffffffe,
  0xffffffff,
];

/** A damaged copy of a file: one to three flips, overwritten fields, moved words or cuts, fixed by `seed`. */
export function damage(original: Uint8Array, seed: number): Uint8Array {
  let state = (Math.imul(seed, 0x9e3779b1) ^ 0x5bd1e995) >>> 0 || 1;
  const below = (limit: number): number => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % limit;
  };
  let bytes = original.slice();
  for (let times = 1 + below(3); times > 0; times -= 1) {
    const view = new DataView(bytes.buffer);
    const words = bytes.length >>> 3;
    if (words < 2) return bytes;
    const at = 8 * below(words) + 4 * below(2);
    switch (below(8)) {
      case 0:
      case 1:
        bytes[below(bytes.length)]! ^= 1 << below(8);
        break;
      case 2:
        view.setUint32(at, EDGES[below(EDGES.length)]!, true);
        break;
      case 3:
        // Off by a little: lengths and offsets that almost fit.
        view.setUint32(at, view.getUint32(at, true) + below(65) - 32, true);
        break;
      case 4:
        // A list length or struct size field inside the upper half of a pointer.
        view.setUint32(at | 4, (view.getUint32(at | 4, true) & 7) | (below(1 << 29) << 3), true);
        break;
      case 5: {
        // One word repeated elsewhere: shared, looping and misplaced pointers.
        const from = 8 * below(words);
        bytes.copyWithin(8 * below(words), from, from + 8);
        break;
      }
      case 6: {
        // A word less in the middle, its place taken by what follows.
        const gap = 8 * below(words);
        bytes.copyWithin(gap, gap + 8);
        break;
      }
      default:
        if (below(4) === 0) bytes = bytes.slice(0, below(bytes.length));
    }
  }
  return bytes;
}
