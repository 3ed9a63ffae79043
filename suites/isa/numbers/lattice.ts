import { HALF_OPERATIONS } from '../../../golden/formats/operations.ts';
import { type BenchCode, spansOf, TileBench } from './bench.ts';
import { LATTICE, packed } from './operands.ts';
import { codeOf } from './prove.ts';
import type { Setting } from './row.ts';
import { type ArithmeticForm, ROW_ENTRIES, ROWS } from './rows.ts';
import { controlOf, settingText } from './setting.ts';

/** Forms of one operation on two f16 (or one and a pair of limits), and which source is held while the other runs. */
export interface LatticeGroup {
  readonly name: string;
  readonly forms: readonly ArithmeticForm[];
  readonly fixed: 0 | 1;
  readonly rounds: boolean;
  /** Code for a held pattern and a running one. */
  readonly golden: (held: number, running: number, setting: Setting) => number;
}

const PATTERN = /^f16v[24]([a-z]+)\./;
/** Operations whose second source is held: limits for all elements. */
const LIMITS = 'clamp';

/** High limit that goes with a low one: another pattern of the lattice, so that crossed and NaN limits occur. */
const highOf = (low: number): number => LATTICE[(7 * LATTICE.indexOf(low) + 1031) % LATTICE.length];

function groups(): LatticeGroup[] {
  const forms = new Map<string, ArithmeticForm[]>();
  for (const [form, row] of ROW_ENTRIES) {
    const name = PATTERN.exec(form)?.[1];
    const paired = row.sources.length === 2 && row.sources.every((kind) => kind === 'f16');
    if (name !== undefined && paired && row.after === undefined)
      forms.set(name, [...(forms.get(name) ?? []), form]);
  }
  return [...forms].map(([name, list]) => {
    const { rounds } = ROWS[list[0]];
    if (name === LIMITS)
      return {
        name,
        forms: list,
        fixed: 1,
        rounds,
        golden: (low, x, setting) => HALF_OPERATIONS.clamp(x, low, highOf(low), setting),
      };
    const operation = HALF_OPERATIONS[name as keyof Omit<typeof HALF_OPERATIONS, 'clamp' | 'sqrt'>];
    return { name, forms: list, fixed: 0, rounds, golden: operation };
  });
}

/** Every f16 operation of two operands that the table has. */
export const LATTICE_GROUPS: readonly LatticeGroup[] = groups();

const RUNNING = packed(LATTICE, 16);

/** Words that hold a pattern: in every element, or in the one a broadcast takes, with another one beside it. */
function held(pattern: number, form: ArithmeticForm, fixed: 0 | 1): Uint32Array {
  const span = spansOf(form).sources[fixed];
  const other = pattern ^ 0x5555;
  const word =
    fixed === 1
      ? pattern | (highOf(pattern) << 16)
      : form.includes('BL')
        ? pattern | (other << 16)
        : form.includes('BU')
          ? other | (pattern << 16)
          : pattern | (pattern << 16);
  return new Uint32Array(span).fill(word >>> 0);
}

/** Rows of the lattice that run between two comparisons. */
const BLOCK = 192;

/** Runs held patterns against the whole lattice in several forms and gives the first differences. */
export async function latticeDifferences(
  group: LatticeGroup,
  forms: readonly ArithmeticForm[],
  setting: Setting,
  patterns: readonly number[],
  golden: LatticeGroup['golden'] = group.golden,
): Promise<string[]> {
  const benches = await Promise.all(
    forms.map(async (form) => {
      const code: BenchCode = codeOf(form, ROWS[form], group.fixed);
      return { form, bench: await TileBench.open(code) };
    }),
  );
  const wrong: string[] = [];
  const expected = new Uint16Array(LATTICE.length);
  const words = new Uint32Array(expected.buffer);
  for (let from = 0; from < patterns.length && wrong.length === 0; from += BLOCK) {
    const block = patterns.slice(from, from + BLOCK);
    const results: Uint32Array[][] = [];
    for (const { form, bench } of benches) {
      const rounds = LATTICE.length / ROWS[form].result.length;
      const jobs = block.map((pattern) => {
        const hold = held(pattern, form, group.fixed);
        const sources = group.fixed === 0 ? [hold, RUNNING] : [RUNNING, hold];
        return { sources, rounds, control: controlOf(setting) };
      });
      results.push(await bench.run(jobs));
    }
    for (const [row, pattern] of block.entries()) {
      for (let column = 0; column < LATTICE.length; column++)
        expected[column] = golden(pattern, LATTICE[column], setting);
      results.forEach((rows, index) => {
        const at = words.findIndex((word, position) => rows[row][position] !== word);
        if (at < 0 && rows[row].length === words.length) return;
        const [x, y] = [LATTICE[2 * at], LATTICE[2 * at + 1]].map((code) => code?.toString(16));
        wrong.push(
          `${forms[index]} (${settingText(setting)}) 0x${pattern.toString(16)} with 0x${x}, 0x${y}: ` +
            `0x${rows[row][at]?.toString(16)}, golden 0x${words[at]?.toString(16)}`,
        );
      });
    }
  }
  for (const { bench } of benches) await bench.close();
  return wrong.slice(0, 5);
}
