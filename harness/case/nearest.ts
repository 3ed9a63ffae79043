/**
 * Edit distance with insertions, deletions, substitutions and swaps of neighbours, each costing 1
 * (optimal string alignment).
 */
export function editDistance(left: string, right: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: right.length + 1 }, (_, column) => column);
  for (let row = 1; row <= left.length; row++) {
    const current = [row];
    for (let column = 1; column <= right.length; column++) {
      const same = left[row - 1] === right[column - 1];
      let cost = Math.min(last[column] + 1, current[column - 1] + 1, last[column - 1] + (same ? 0 : 1));
      const swapped =
        row > 1 && column > 1 && left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
      if (swapped) cost = Math.min(cost, beforeLast[column - 2] + 1);
      current.push(cost);
    }
    beforeLast = last;
    last = current;
  }
  return last[right.length];
}

/** Longest word worth comparing; anything longer is no typing error. */
const LONGEST_WORD = 64;

/** The candidate a typing error most likely meant, or undefined when none is close. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  if (word.length > LONGEST_WORD) return undefined;
  let best: string | undefined;
  let bestDistance = Math.max(1, Math.floor(word.length / 2)) + 1;
  for (const candidate of candidates) {
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** ` (did you mean x?)`, or nothing. */
export function didYouMean(word: string, candidates: readonly string[]): string {
  const guess = nearest(word, candidates);
  return guess === undefined ? '' : ` (did you mean ${guess}?)`;
}
