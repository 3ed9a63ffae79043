import type { PhysicalPlace } from '../ports.ts';

/** Verdicts the judge can reach, worst first. */
export type JudgeVerdict = 'failed-contract' | 'failed-numerics' | 'mistrusted' | 'passed';

/** What the judge may know besides reference and output. */
export interface JudgeContext {
  /** Storage codes the output buffer held before the run; what still holds them was never written. */
  readonly canaries?: readonly number[];
  /** Where a logical element lives; `CompiledCase.locate` fits. */
  readonly locate?: (tensor: string, index: readonly number[]) => PhysicalPlace | undefined;
  /** Mismatches listed one by one, 16 unless told. */
  readonly shown?: number;
}

/** Elements whose non-finite class differs from the expected one. */
export interface ClassMismatches {
  readonly nanForFinite: number;
  readonly infinityForFinite: number;
  /** A NaN or an infinity of some sign was expected, something finite came. */
  readonly finiteForNonFinite: number;
  /** Infinity for NaN, NaN for infinity, infinity of the wrong sign. */
  readonly wrongNonFinite: number;
}

/** A maximum and the flat index it was found at; index -1 when nothing was compared. */
export interface Extreme {
  readonly value: number;
  readonly index: number;
}

/** Figures of one output tensor. Errors are `output - reference`, over elements where both are finite. */
export interface Metrics {
  readonly elements: number;
  readonly compared: number;
  readonly mismatches: number;
  /** Elements beyond the probabilistic bound but within the hard one. */
  readonly alarms: number;
  readonly unwritten: number;
  readonly classes: ClassMismatches;
  readonly maxAbsError: Extreme;
  /** Largest error over bound; for exact references 0 or infinity. Above 1 means failure. */
  readonly maxBoundRatio: Extreme;
  readonly maxUlp: Extreme;
  readonly rmsError: number;
  readonly meanSignedError: number;
  /** Mean of error times sign of the reference: negative when results are truncated toward zero. */
  readonly meanOutwardError: number;
  /** Counts of ULP distances 0, 1, 2, 3-4, 5-8, ...; see `ulpBucketLabel`. */
  readonly ulpHistogram: readonly number[];
  /** Share of elements for which an output of zero would be a failure. */
  readonly discriminating: number;
}

/** One wrong element. */
export interface Mismatch {
  readonly kind: 'value' | 'class' | 'unwritten';
  readonly flat: number;
  readonly index: readonly number[];
  readonly observed: number;
  readonly observedCode: string;
  readonly expected: number;
  readonly expectedCode: string;
  readonly error: number;
  /** 0 for exact references. */
  readonly bound: number;
  readonly ulps: number;
  readonly place?: PhysicalPlace;
  /** Which operand element the wrong value came from, for signature fills. */
  readonly origin?: string;
}

/** What the mismatches look like, and which part of the chain makes such errors. */
export interface PatternGuess {
  readonly kind:
    | 'unwritten'
    | 'zeroed'
    | 'nan-spread'
    | 'sign-of-zero'
    | 'gain'
    | 'offset'
    | 'missing-k-block'
    | 'repeated-k-block'
    | 'swapped-rows'
    | 'shifted-rows'
    | 'permuted-rows'
    | 'swapped-columns'
    | 'shifted-columns'
    | 'permuted-columns'
    | 'precision'
    | 'single-element'
    | 'one-tile'
    | 'one-row'
    | 'one-column'
    | 'column-group'
    | 'everywhere'
    | 'scattered';
  readonly detail: string;
  /** The likely culprit, in words. */
  readonly stage: string;
}

/** A count of mismatches under one key. */
export interface Tally {
  readonly key: number;
  readonly count: number;
}

/** Where the mismatches are. Lists are sorted by falling count, then key, and hold at most 16 entries. */
export interface ErrorMap {
  /** All leading dimensions flattened. */
  readonly rows: number;
  readonly columns: number;
  readonly mismatchedRows: number;
  readonly mismatchedColumns: number;
  readonly byRow: readonly Tally[];
  readonly byColumn: readonly Tally[];
  /** Column modulo 16, the width of the matrix unit's column group. */
  readonly byLane: readonly Tally[];
  /** `tile` and every label `locate` knows (row block, K piece, worker, ...). */
  readonly byLabel: Readonly<Record<string, readonly Tally[]>>;
  /** Mismatches that were located; fewer than all of them when there are very many. */
  readonly located: number;
}

/** Judgement of one output tensor. */
export interface Judgement {
  readonly tensor: string;
  readonly verdict: JudgeVerdict;
  /** One sentence per broken rule, the decisive one first; empty when passed. */
  readonly reasons: readonly string[];
  /** Name of the bound model. */
  readonly model: string;
  readonly exact: boolean;
  /** Undefined when shapes or types made a comparison impossible. */
  readonly metrics?: Metrics;
  readonly mismatches: readonly Mismatch[];
  /** Cause guesses first, then where. */
  readonly patterns: readonly PatternGuess[];
  readonly map?: ErrorMap;
  /** Severity per element for the picture: 0..1 within the bound, above 1 wrong, NaN for a wrong class. */
  readonly severity?: Float32Array;
}
