/**
 * Every timing and rounding choice of the model on which published facts are silent or indirect. The
 * engine is compiled with these numbers; docs/choices.md lists them. A measurement on a card corrects the
 * model here and nowhere else.
 */

/** Evidence classes: documented, measured, read off the SDK's output, software convention, or inferred. */
export type EvidenceClass = 'ISA' | 'HW' | 'SDK' | 'SW' | 'GUESS';

export interface Choice {
  readonly value: number;
  readonly unit: string;
  readonly evidence: EvidenceClass;
  readonly meaning: string;
}

const choice = (value: number, unit: string, evidence: EvidenceClass, meaning: string): Choice => ({
  value,
  unit,
  evidence,
  meaning,
});

export const CHOICES = {
  RESULT_LATENCY: choice(
    6,
    'cycles',
    'SDK',
    'A supervisor result is usable this long after issue; earlier readers wait (interlock).',
  ),
  BRANCH_CYCLES: choice(6, 'cycles', 'SDK', 'Cost of a taken supervisor branch or call; not taken costs 1.'),
  LAUNCH_CYCLES: choice(
    6,
    'cycles',
    'SDK',
    'From issue of run or runall to the first slot in which a started worker may issue.',
  ),
  LOCAL_SYNC_CYCLES: choice(
    6,
    'cycles',
    'SDK',
    'Cost of a local barrier whose workers are done, and delay from the last exit to its end.',
  ),
  CCCSLOAD_CYCLES: choice(6, 'cycles', 'SDK', 'Wait after a write of the coefficient load address.'),
  INTERNAL_SYNC_CYCLES: choice(
    150,
    'cycles',
    'GUESS',
    'From the last arrival at the internal barrier to its release; measured phases show 229..277 of barrier and set-up together.',
  ),
  SLOT_PHASE: choice(
    0,
    'cycles',
    'GUESS',
    'Worker w issues in cycles congruent to w + this value modulo 6 of the tile clock.',
  ),
  SRAM_POISON: choice(
    0x7ef1,
    'pattern',
    'SW',
    'Halfword that fills memory no segment covers: NaN as f16 and as f32 pairs, not an instruction.',
  ),
} as const satisfies Record<string, Choice>;

export type ChoiceName = keyof typeof CHOICES;

/** Behaviour that is a choice without a number. */
export const RULES: readonly {
  readonly name: string;
  readonly evidence: EvidenceClass;
  readonly meaning: string;
}[] = [
  {
    name: 'matrix sum',
    evidence: 'GUESS',
    meaning:
      'Products of a phase are exact; (p0 + p1) + (p2 + p3) and the running sum are added in f64 and rounded once to f32, nearest even.',
  },
  {
    name: 'matrix result',
    evidence: 'ISA',
    meaning:
      'An f16 result is rounded once when it leaves the unit, by RND; overflow saturates unless NANOO.',
  },
  {
    name: 'supervisor arbitration',
    evidence: 'GUESS',
    meaning: 'The supervisor issues only in slots whose worker is inactive.',
  },
  {
    name: 'silence on the fabric',
    evidence: 'GUESS',
    meaning: 'An event in which the selected source sends nothing writes nothing and leaves the pointer.',
  },
  {
    name: 'send read',
    evidence: 'GUESS',
    meaning:
      'A word is read from the sender in the event in which it is issued, before writes of that event.',
  },
  {
    name: 'late words',
    evidence: 'GUESS',
    meaning:
      'Words that arrive after a tile went on stay in flight: a launch before their arrival is a receive error, other code sees memory without them until its next barrier.',
  },
  {
    name: 'minimum and maximum',
    evidence: 'GUESS',
    meaning: 'A number wins over NaN.',
  },
  {
    name: 'worker memory order',
    evidence: 'GUESS',
    meaning: 'Accesses take effect in issue order; workers never conflict with each other in one cycle.',
  },
];
