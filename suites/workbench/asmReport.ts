import type { Assembled, LineRange } from '../../compiler/assembler/text/index.ts';
import type { ObjectSection } from '../../compiler/object/model.ts';
import { type Block, blocksOf } from './blocks.ts';

const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0');

/** Columns of equal width, two blanks between them; numbers to the right. */
export function columns(rows: readonly (readonly (string | number)[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => String(row[column] ?? '').length)),
  );
  return rows.map((row) =>
    row
      .map((cell, column) => {
        const text = String(cell);
        return typeof cell === 'number' ? text.padStart(widths[column]) : text.padEnd(widths[column]);
      })
      .join('  ')
      .trimEnd(),
  );
}

const cyclesText = ({ mode, cycles, taken }: Block): string => {
  if (mode === 'supervisor')
    return `${cycles} tile cycles${taken === 0 ? '' : `, ${cycles + taken} when taken`}`;
  return `${cycles} worker cycles = ${6 * cycles} tile cycles`;
};

/** Listing of an assembled source: bytes beside their lines, relocations, symbols, cycles of each block. */
export function asmReport(assembled: Assembled): string {
  const { object, externals } = assembled;
  const parts = object.sections.map((section) => sectionText(section, assembled.lines));
  const symbols = object.symbols
    .filter(({ kind }) => kind !== 'section')
    .map(({ name, section, value, size, kind, binding }) => [
      name,
      binding,
      kind,
      section ?? 'undefined',
      `0x${hex(value, 5)}`,
      size,
    ]);
  if (symbols.length > 0) parts.push(['symbols', ...indent(columns(symbols))].join('\n'));
  const blocks = blocksOf(assembled);
  if (blocks.length > 0)
    parts.push(
      [
        'blocks (waiting for workers, tiles or the exchange is not counted)',
        ...indent(
          columns(
            blocks.map((block) => [
              block.section,
              `0x${hex(block.offset, 5)}`,
              block.name,
              `${block.issues} issues, ${block.dual} dual`,
              block.repeats === undefined ? '' : `x ${block.repeats}`,
              cyclesText(block),
            ]),
          ),
        ),
      ].join('\n'),
    );
  if (externals.length > 0)
    parts.push(
      `defined elsewhere: ${externals
        .map(({ symbol }) => symbol)
        .sort()
        .join(', ')}`,
    );
  return parts.join('\n\n');
}

const indent = (lines: readonly string[]): string[] => lines.map((line) => `  ${line}`);

function sectionText(section: ObjectSection, lines: readonly LineRange[]): string {
  const head = `section ${section.name}: ${section.kind}, ${section.size} bytes, alignment ${section.alignment}`;
  const own = lines.filter((range) => range.section === section.name);
  const rows = own.flatMap((range) => {
    const machine = bytesText(section.bytes, range);
    const place = `${range.line.file}:${range.line.number}`;
    const relocations = section.relocations
      .filter(({ offset }) => offset >= range.offset && offset < range.offset + range.size)
      .map(
        ({ offset, type, symbol, addend }) =>
          `    ${hex(offset, 5)}: ${type} ${symbol}${addend < 0 ? '-' : '+'}0x${Math.abs(addend).toString(16)}`,
      );
    return [`  ${hex(range.offset, 5)}: ${machine}  ${place}  ${range.line.text.trim()}`, ...relocations];
  });
  return [head, ...rows].join('\n');
}

/** At most four words; longer data ends with dots. */
function bytesText(bytes: Uint8Array, { offset, size, kind }: LineRange): string {
  const shown = Math.min(size, 8);
  const unit = kind === 'code' || shown % 4 === 0 ? 4 : 1;
  const groups: string[] = [];
  for (let at = 0; at < shown; at += unit) {
    const group = [...bytes.subarray(offset + at, offset + at + unit)].reverse();
    groups.push(group.map((byte) => hex(byte, 2)).join(''));
  }
  return `${groups.join(' ')}${size > shown ? ' ...' : ''}`.padEnd(17);
}
