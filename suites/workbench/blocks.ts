import type { Assembled, CodeMode } from '../../compiler/assembler/text/index.ts';
import { type ProgramLine, programLines } from '../../device/ipu21/index.ts';
import { isDual } from './activity.ts';
import { supervisorCycles, workerCycles } from './issueCycles.ts';

/** Straight code: entered at its first instruction only, left behind its last. */
export interface Block {
  readonly section: string;
  /** Label at its start, or the block before it and a number. */
  readonly name: string;
  readonly offset: number;
  readonly lines: readonly ProgramLine[];
  readonly mode: CodeMode;
  /** Issues: instructions or bundles. */
  readonly issues: number;
  /** Bundles whose two instructions both do something. */
  readonly dual: number;
  /** Worker cycles (six tile cycles each), or tile cycles of supervisor code. */
  readonly cycles: number;
  /** Supervisor code: cycles more when the branch at the end is taken. */
  readonly taken: number;
  /** How often a repeat runs the block: a number, or the register that holds it. */
  readonly repeats?: string;
}

const JUMPS = /^(br|call|exit)/;

const endsBlock = ({ instructions }: ProgramLine): boolean =>
  instructions.some(({ form }) => JUMPS.test(form.mnemonic));

/** Splits the code of an object into blocks; labels, targets of branches and repeat bodies begin one. */
export function blocksOf({ object, lines: ranges }: Assembled): readonly Block[] {
  return object.sections
    .filter((section) => section.executable)
    .flatMap((section) => {
      const words = new Uint32Array(section.bytes.slice(0, section.size & ~3).buffer);
      const lines = [...programLines(0, words)];
      const names = new Map<number, string>();
      for (const symbol of object.symbols)
        if (symbol.section === section.name && symbol.kind !== 'section')
          names.set(symbol.value, symbol.name);
      const modes = new Map(
        ranges.filter((range) => range.section === section.name).map(({ offset, mode }) => [offset, mode]),
      );
      const repeats = repeatBodies(lines);
      const leaders = new Set<number>([0, ...names.keys(), ...repeats.starts.keys(), ...repeats.ends]);
      for (const { symbol, addend } of section.relocations) if (symbol === section.name) leaders.add(addend);
      lines.forEach((line, index) => {
        if (endsBlock(line) && index + 1 < lines.length) leaders.add(lines[index + 1].address);
      });
      return cut(lines, leaders).map((part, index, parts) => {
        const { address } = part[0];
        const mode = modes.get(address) ?? 'any';
        const repeated = repeats.starts.get(address);
        const supervisor = mode === 'supervisor' ? supervisorCycles(part) : undefined;
        return {
          section: section.name,
          name: names.get(address) ?? anonymous(parts, index, names),
          offset: address,
          lines: part,
          mode,
          issues: part.length,
          dual: part.filter(isDual).length,
          cycles: supervisor?.cycles ?? part.reduce((sum, line) => sum + workerCycles(line), 0),
          taken: supervisor?.taken ?? 0,
          ...(repeated === undefined ? {} : { repeats: repeated }),
        };
      });
    });
}

function repeatBodies(lines: readonly ProgramLine[]) {
  const starts = new Map<number, string>();
  const ends = new Set<number>();
  for (const { address, words, instructions } of lines) {
    const rpt = instructions.find(({ form }) => form.mnemonic === 'rpt');
    if (rpt === undefined) continue;
    const [count, body] = rpt.operands;
    const first = address + 4 * words.length;
    starts.set(first, typeof count === 'number' ? String(count) : `$m${count.index}`);
    ends.add(first + 8 * (Number(body) + 1));
  }
  return { starts, ends };
}

function cut(lines: readonly ProgramLine[], leaders: ReadonlySet<number>): ProgramLine[][] {
  const parts: ProgramLine[][] = [];
  for (const line of lines) {
    if (parts.length === 0 || leaders.has(line.address)) parts.push([]);
    parts.at(-1)?.push(line);
  }
  return parts;
}

function anonymous(
  parts: readonly (readonly ProgramLine[])[],
  index: number,
  names: ReadonlyMap<number, string>,
): string {
  let back = index;
  while (back > 0 && !names.has(parts[back][0].address)) back--;
  return `${names.get(parts[back][0].address) ?? 'start'}+${index - back}`;
}
