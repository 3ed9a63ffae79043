/** One way to do one part of a program: what it costs, and its memory on the worst tile. */
export interface Candidate {
  readonly total: number;
  /** Bytes that live as long as the program. */
  readonly residentBytes: number;
  /** Bytes that live during the part only. */
  readonly transientBytes: number;
}

/** Memory goes in steps of this many bytes when candidates are weighed. */
const MEMORY_STEP = 4096;
/** Candidates of one layer that are weighed against those of the others. */
const CANDIDATES = 400;
/** Shares of the memory tried for what lives during one layer only. */
const TRANSIENT_SHARES = [0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.75, 0.9, 1];

/**
 * Choices of one candidate per part that share `capacity` bytes, cheapest first: for several shares of the memory that
 * is kept for what lives during one part only, a knapsack over what lives always.
 */
export function choicesWithin<T extends Candidate>(
  candidates: readonly (readonly T[])[],
  capacity: number,
): readonly (readonly T[])[] {
  const seen = new Set<string>();
  return TRANSIENT_SHARES.flatMap((share) => {
    const transient = share * capacity;
    const chosen = choose(candidates, transient, capacity - transient);
    return chosen === undefined ? [] : [chosen];
  })
    .filter((chosen) => {
      const key = chosen.map((one, part) => candidates[part].indexOf(one)).join();
      return !seen.has(key) && seen.add(key);
    })
    .sort((x, y) => sum(x) - sum(y));
}

const sum = (chosen: readonly Candidate[]): number => chosen.reduce((total, one) => total + one.total, 0);

/** Cheapest candidates whose resident bytes fit together and whose transient bytes fit each: a knapsack. */
function choose<T extends Candidate>(
  candidates: readonly (readonly T[])[],
  transient: number,
  resident: number,
): readonly T[] | undefined {
  const steps = Math.floor(resident / MEMORY_STEP);
  let best: ({ total: number; chosen: T[] } | undefined)[] = [{ total: 0, chosen: [] }];
  for (const list of candidates) {
    const next: typeof best = [];
    const fitting = undominated(list.filter((one) => one.transientBytes <= transient));
    best.forEach((state, used) => {
      if (state === undefined) return;
      for (const candidate of fitting) {
        const after = used + Math.ceil(candidate.residentBytes / MEMORY_STEP);
        if (after > steps) continue;
        const total = state.total + candidate.total;
        const other = next[after];
        if (other === undefined || total < other.total)
          next[after] = { total, chosen: [...state.chosen, candidate] };
      }
    });
    best = next;
  }
  let cheapest: { total: number; chosen: T[] } | undefined;
  for (const state of best)
    if (state !== undefined && (cheapest === undefined || state.total < cheapest.total)) cheapest = state;
  return cheapest?.chosen;
}

/** Candidates, cheapest first, each with less resident memory than all cheaper ones. */
function undominated<T extends Candidate>(list: readonly T[]): readonly T[] {
  const kept: T[] = [];
  let least = Number.POSITIVE_INFINITY;
  for (const one of list) {
    if (one.residentBytes >= least) continue;
    least = one.residentBytes;
    kept.push(one);
    if (kept.length === CANDIDATES) break;
  }
  return kept;
}
