import type { ProgramLine } from '../../device/ipu21/index.ts';
import type { Issue } from '../../device/simulator/index.ts';
import { type Activity, isDual } from './activity.ts';
import { columns } from './asmReport.ts';

const CYCLES_PER_TURN = 6;
const CONTEXT_NAMES = ['super', 'w0', 'w1', 'w2', 'w3', 'w4', 'w5'];
/** Rows of the text picture; a longer call shows its beginning and its end. */
const LONGEST_TEXT = 48;

const mnemonics = (line: ProgramLine | undefined): string =>
  line === undefined || line.instructions.length === 0
    ? '?'
    : line.instructions.map(({ form }) => form.mnemonic).join('|');

/** The issues of every turn of six cycles, one column a context. */
export function timelineText({ issues, lineAt }: Activity): string {
  if (issues.length === 0) return 'nothing was issued';
  const [{ cycle: begin }] = issues;
  const turns = new Map<number, string[][]>();
  for (const { cycle, context, pc } of issues) {
    const turn = Math.floor((cycle - begin) / CYCLES_PER_TURN);
    const cells = turns.get(turn) ?? CONTEXT_NAMES.map(() => []);
    turns.set(turn, cells);
    cells[context].push(mnemonics(lineAt(pc)));
  }
  const rows = [...turns].map(([turn, cells]) => [
    `+${turn * CYCLES_PER_TURN}`,
    ...cells.map((names) => (names.length > 2 ? `${names[0]} .. ${names.length} in all` : names.join(' '))),
  ]);
  const half = LONGEST_TEXT / 2;
  const shown =
    rows.length <= LONGEST_TEXT
      ? rows
      : [...rows.slice(0, half), ['...', ...CONTEXT_NAMES.map(() => '')], ...rows.slice(-half)];
  return columns([['cycle', ...CONTEXT_NAMES], ...shown]).join('\n');
}

const LANE = 22;
const LEFT = 52;
const WIDTH = 1200;
const TOP = 44;
const MOST_BOXES = 20_000;
const COLOURS = {
  both: '#2a6fdb',
  main: '#7fb2f0',
  aux: '#f0a34e',
  idle: '#d8d8d8',
  supervisor: '#5aa469',
} as const;

function kindOf(line: ProgramLine | undefined, context: number): keyof typeof COLOURS {
  if (context === 0) return 'supervisor';
  if (line === undefined || line.instructions.length === 0) return 'idle';
  if (isDual(line)) return 'both';
  const busy = line.instructions.find(({ form }) => form.mnemonic !== 'nop' && form.mnemonic !== 'fnop');
  if (busy === undefined) return 'idle';
  return busy.form.pipe === 'aux' ? 'aux' : 'main';
}

const markup = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** A drawing of the same: one lane a context, one box an issue, its instruction as a tool tip. */
export function timelineSvg({ issues, lineAt, cycles }: Activity, title: string): string {
  const begin = issues[0]?.cycle ?? 0;
  const scale = (WIDTH - LEFT - 12) / Math.max(cycles, 1);
  const height = TOP + LANE * CONTEXT_NAMES.length + 30;
  const drawn = issues.slice(0, MOST_BOXES);
  const boxes = drawn.map(({ cycle, context, pc }: Issue) => {
    const line = lineAt(pc);
    const x = LEFT + (cycle - begin) * scale;
    const width = Math.max(0.4, (context === 0 ? 1 : CYCLES_PER_TURN) * scale - 0.6);
    const y = TOP + LANE * context;
    const tip = `+${cycle - begin} 0x${pc.toString(16)} ${mnemonics(line)}`;
    return `<rect x="${x.toFixed(2)}" y="${y}" width="${width.toFixed(2)}" height="${LANE - 6}" fill="${COLOURS[kindOf(line, context)]}"><title>${markup(tip)}</title></rect>`;
  });
  const lanes = CONTEXT_NAMES.map(
    (name, context) => `<text x="6" y="${TOP + LANE * context + 12}">${name}</text>`,
  );
  const ticks = Array.from({ length: 9 }, (_, index) => {
    const cycle = Math.round((cycles * index) / 8);
    const x = (LEFT + cycle * scale).toFixed(1);
    return `<line x1="${x}" y1="${TOP - 4}" x2="${x}" y2="${height - 24}" stroke="#bbb" stroke-width="0.5"/><text x="${x}" y="${height - 10}" text-anchor="middle">${cycle}</text>`;
  });
  const legend = Object.entries(COLOURS).map(
    ([name, colour], index) =>
      `<rect x="${LEFT + 110 * index}" y="24" width="12" height="12" fill="${colour}"/><text x="${LEFT + 16 + 110 * index}" y="34">${name}</text>`,
  );
  const cut = drawn.length < issues.length ? `, first ${MOST_BOXES} of ${issues.length} issues` : '';
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" font-family="sans-serif" font-size="11">`,
    '<rect width="100%" height="100%" fill="white"/>',
    `<text x="6" y="16" font-size="13">${markup(title)}: ${cycles} tile cycles${cut}</text>`,
    ...legend,
    ...ticks,
    ...lanes,
    ...boxes,
    '</svg>',
  ].join('\n');
}
