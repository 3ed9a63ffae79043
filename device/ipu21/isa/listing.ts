import { COISSUE_BIT, decode, decodePair, type Instruction } from './decode.ts';
import { exactText, wordText } from './text.ts';

/** One line of a program: a single instruction, a bundle, a two-word instruction, or undecodable data. */
export interface ProgramLine {
  readonly kind: 'single' | 'bundle' | 'pair' | 'data';
  readonly address: number;
  readonly words: readonly number[];
  /** Main instruction first; empty for data. */
  readonly instructions: readonly Instruction[];
}

/** Splits machine code into lines. Total: every word belongs to exactly one line. */
export function* programLines(address: number, words: ArrayLike<number>): Generator<ProgramLine> {
  for (let index = 0; index < words.length; ) {
    const line = lineAt(address + 4 * index, words[index] >>> 0, words[index + 1]);
    yield line;
    index += line.words.length;
  }
}

function lineAt(address: number, first: number, next: number | undefined): ProgramLine {
  const data: ProgramLine = { kind: 'data', address, words: [first], instructions: [] };
  if ((first & COISSUE_BIT) === 0) {
    const single = decode(first);
    return single === undefined ? data : { kind: 'single', address, words: [first], instructions: [single] };
  }
  // Bundles and two-word instructions start on 8 bytes [ISA].
  if (next === undefined || address % 8 !== 0) return data;
  const words = [first, next >>> 0];
  const pair = decodePair(words[0], words[1]);
  if (pair !== undefined) return { kind: 'pair', address, words, instructions: [pair] };
  const main = decode((first & ~COISSUE_BIT) >>> 0);
  const aux = decode(words[1]);
  const bundle = main?.form.pipe === 'main' && !main.form.solo && aux?.form.pipe === 'aux';
  return bundle ? { kind: 'bundle', address, words, instructions: [main, aux] } : data;
}

/** Text of a program line that parseLine reads back to the same words. */
export function lineText(line: ProgramLine): string {
  const texts = line.instructions.map(exactText);
  if (line.kind === 'bundle') return `{ ${texts.join(' ; ')} }`;
  return line.kind === 'data' ? wordText(line.words[0]) : texts[0];
}

const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0');

/**
 * Listing of machine code: labels on lines of their own, then address, words and text, one instruction or
 * bundle a line. `symbols` are labels with byte addresses; those outside the code are left out, those inside
 * also explain branch targets.
 */
export function disassembleProgram(
  address: number,
  words: ArrayLike<number>,
  symbols: ReadonlyMap<string, number> = new Map(),
): string {
  const labels = new Map<number, string[]>();
  for (const [name, at] of symbols) labels.set(at, [...(labels.get(at) ?? []), name].sort());
  const output: string[] = [];
  for (const line of programLines(address, words)) {
    for (const word of line.words.keys()) {
      for (const name of labels.get(line.address + 4 * word) ?? []) output.push(`${name}:`);
    }
    const machine = line.words.map((word) => hex(word, 8)).join(' ');
    const target = targetOf(line, labels);
    output.push(
      `  ${hex(line.address, 5)}: ${machine.padEnd(17)}  ${lineText(line)}${target === undefined ? '' : `  ; ${target}`}`,
    );
  }
  return output.join('\n');
}

function targetOf(line: ProgramLine, labels: ReadonlyMap<number, readonly string[]>): string | undefined {
  for (const { form, operands } of line.instructions) {
    const index = form.operands.findIndex((slot) => slot.kind === 'immediate' && slot.type === 'addr');
    if (index >= 0) return labels.get(operands[index] as number)?.[0];
  }
  return undefined;
}
