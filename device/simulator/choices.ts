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
  HOST_RELEASE_CYCLES: choice(
    6,
    'cycles',
    'GUESS',
    'The host barrier is released at a multiple of this, one turn of the worker slots: equal calls take equal time.',
  ),
  EXP_CYCLES: choice(3, 'worker cycles', 'SDK', 'f32exp and f32exp2.'),
  LOG_CYCLES: choice(6, 'worker cycles', 'SDK', 'f32ln and f32log2.'),
  TANH_CYCLES: choice(
    5,
    'worker cycles',
    'SDK',
    'f32tanh: the worst case; the real time depends on the data.',
  ),
  SIGMOID_CYCLES: choice(
    5,
    'worker cycles',
    'SDK',
    'f32sigm: the worst case; the real time depends on the data.',
  ),
  RECIPROCAL_CYCLES: choice(3, 'worker cycles', 'SDK', 'f32oox.'),
  RECIPROCAL_ROOT_CYCLES: choice(4, 'worker cycles', 'SDK', 'f32oorx.'),
  ROOT_CYCLES: choice(5, 'worker cycles', 'SDK', 'f32sqrt.'),
  DIVIDE_CYCLES: choice(5, 'worker cycles', 'GUESS', 'f32div: estimates range from 3 to 5.'),
  HALF_ELEMENTARY_CYCLES: choice(2, 'worker cycles', 'SDK', 'f16v2 exp, exp2, ln, log2 and sigm.'),
  HALF_TANH_CYCLES: choice(1, 'worker cycles', 'SDK', 'f16v2tanh.'),
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
    'Halfword that fills memory no segment covers: NaN as f16, 1.6e38 as f32; as code an exchange send, which stops a worker and a supervisor outside a row.',
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
    name: 'consensus',
    evidence: 'GUESS',
    meaning:
      'LC starts set; an exit whose condition does not hold clears it, CR clears and sets it. GC is the agreement of all LC at the last internal barrier. No barrier changes LC.',
  },
  {
    name: 'late words',
    evidence: 'GUESS',
    meaning:
      'Words that arrive after a tile left its row land in their cycle: later instructions see them, and a word that arrives while workers run is a receive error.',
  },
  {
    name: 'source before the phase',
    evidence: 'GUESS',
    meaning:
      'A source that is still selected at the barrier is heard from event 0; start-up leaves the neutral source selected.',
  },
  {
    name: 'exchange bases',
    evidence: 'HW',
    meaning: 'OUTGOING_BASE and INCOMING_BASE are added to the source and destination addresses of a row.',
  },
  {
    name: 'stream continuation',
    evidence: 'GUESS',
    meaning:
      'sendoff continues at the next word in the directions of its own control, 0 sends nothing; sendpic keeps the directions.',
  },
  {
    name: 'end of a row',
    evidence: 'GUESS',
    meaning:
      'A row ends with the first instruction that accesses memory, launches, or reaches a barrier; until then received words are not looked at.',
  },
  {
    name: 'workers at a barrier',
    evidence: 'GUESS',
    meaning:
      'A supervisor reaches a barrier without waiting for its workers; a barrier released while they run is a receive error.',
  },
  {
    name: 'repeat body',
    evidence: 'GUESS',
    meaning: 'Branches, calls, rpt, exits and traps are illegal in it; get and put are not.',
  },
  {
    name: 'control registers at start',
    evidence: 'GUESS',
    meaning: 'Zero, but for the neutral source; registers that only the machine writes ignore a put.',
  },
  {
    name: 'minimum and maximum',
    evidence: 'GUESS',
    meaning:
      'A number wins over NaN, two NaN give the NaN of every result, -0 is below +0; a clamp is a maximum, then a minimum.',
  },
  {
    name: 'worker memory order',
    evidence: 'GUESS',
    meaning: 'Accesses take effect in issue order; workers never conflict with each other in one cycle.',
  },
  {
    name: 'elementary functions',
    evidence: 'GUESS',
    meaning: 'exp, exp2, ln, log2, tanh, sigmoid, reciprocal, roots and quotients are correctly rounded.',
  },
  {
    name: 'class codes',
    evidence: 'GUESS',
    meaning:
      '1 signalling NaN, 2 quiet NaN, then -infinity, -normal, -zero, -denormal, +denormal, +zero, +normal, +infinity; 2 and 5 are published.',
  },
  {
    name: 'float to integer',
    evidence: 'GUESS',
    meaning: 'Saturates; NaN gives 0; both are invalid operations.',
  },
  {
    name: 'NaN results',
    evidence: 'GUESS',
    meaning: 'Every NaN result is 0x7fc00000 as f32, 0x7e00 as f16.',
  },
  {
    name: 'floating point flags',
    evidence: 'GUESS',
    meaning:
      'INV: signalling NaN, NaN from numbers, ordered comparison with NaN; DIV0: pole; OFLO: finite value out of range. An enabled trap raises FP.',
  },
  {
    name: 'random generator',
    evidence: 'GUESS',
    meaning:
      'xoroshiro128aox on PRNG_0 and PRNG_1; a stochastic rounding takes one 64-bit draw per element, a Gaussian is the sum of the eight bytes of a draw.',
  },
  {
    name: 'f8 conversion format',
    evidence: 'GUESS',
    meaning: 'Bit 0 of FP_NFMT: 1 = F143, 0 = F152.',
  },
  {
    name: 'accumulator transpose',
    evidence: 'GUESS',
    meaning: 'istacc takes rows 0, 1 and 2, 3; the next four issues deliver columns 0 to 3.',
  },
  {
    name: 'paced pointer loads',
    evidence: 'GUESS',
    meaning: 'ldb16b16 advances the low delta by 2 and the high one by the low 4 bits of the mini deltas.',
  },
  {
    name: 'f32 matrix step, odd phases',
    evidence: 'HW',
    meaning: 'f32sisoamp delivers the bottom pair again in odd phases and leaves the chain alone.',
  },
  {
    name: 'stochastic rounding',
    evidence: 'GUESS',
    meaning:
      'ESR rounds every f16 and f8 result of a worker stochastically, those of f16 arithmetic and of the matrix unit included.',
  },
  {
    name: 'f32 rounding modes',
    evidence: 'GUESS',
    meaning:
      'RND applies to f32 results and to sums in accumulators, except inside the matrix unit, which rounds its sums to nearest even.',
  },
  {
    name: 'accumulating sums',
    evidence: 'GUESS',
    meaning:
      'Outside the matrix unit products, their sum and the old accumulator are exact and rounded once to f32.',
  },
  {
    name: 'sign of zero',
    evidence: 'GUESS',
    meaning:
      'An exact zero of terms that are not all positive is negative when RND is toward minus infinity, as in IEEE 754.',
  },
  {
    name: 'uniform fractions',
    evidence: 'GUESS',
    meaning:
      'sufromui gives (u + 1/2) / 2^n - 1/2, nearest even in every mode, so that it stays symmetric; -1/2 and 1/2 occur.',
  },
  {
    name: 'f8 matrix sum',
    evidence: 'GUESS',
    meaning:
      'Eight exact products are added in f64 in pairs of pairs, scaled by 2^FP_ISCL, added to the running sum and rounded once to f32.',
  },
  {
    name: 'f32 slim convolution',
    evidence: 'GUESS',
    meaning:
      'f32sisoslic: bit 0 of the flags picks the half of the 64-bit weight, the bits above the weight set; the chain moves in even issues, odd ones show the pair that leaves next.',
  },
  {
    name: 'matrix flags',
    evidence: 'GUESS',
    meaning:
      'A NaN that leaves the matrix unit is an invalid operation, a finite result out of range an overflow.',
  },
  {
    name: 'paired reception',
    evidence: 'GUESS',
    meaning:
      'Both members of a pair take what the mux of the early member lets through; a member whose format is 32-bit or of the other direction stores nothing and keeps its pointer. An item is taken in its format 2 events before it is written.',
  },
];
