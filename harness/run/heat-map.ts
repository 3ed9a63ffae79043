import type { Judgement } from '../judge/index.ts';

const MOST_COLUMNS = 96;
const MOST_ROWS = 32;

/**
 * A judgement as text: rows down, columns across, the worst element of each cell. `.` is within the bound, a digit d
 * between 2^d and 2^(d+1) times it (9: more), `X` a NaN, an infinity or a value never written where it does not
 * belong. Undefined when nothing was compared.
 */
export function heatMap(judgement: Judgement): string | undefined {
  const { severity, map } = judgement;
  if (severity === undefined || map === undefined || severity.length === 0) return undefined;
  const height = Math.min(map.rows, MOST_ROWS);
  const width = Math.min(map.columns, MOST_COLUMNS);
  const cells = new Float32Array(width * height);
  for (let row = 0; row < map.rows; row++) {
    const line = Math.floor((row * height) / map.rows) * width;
    for (let column = 0; column < map.columns; column++) {
      const cell = line + Math.floor((column * width) / map.columns);
      const value = severity[row * map.columns + column];
      if (!(value <= cells[cell])) cells[cell] = Number.isNaN(cells[cell]) ? Number.NaN : value;
    }
  }
  const gutter = String(map.rows - 1).length;
  const lines = [
    `${judgement.tensor}: ${map.rows} x ${map.columns}, one character is up to ` +
      `${Math.ceil(map.rows / height)} x ${Math.ceil(map.columns / width)} elements; . within bound, d: 2^d times it, X wrong class`,
  ];
  for (let y = 0; y < height; y++) {
    const first = Math.ceil((y * map.rows) / height);
    const text = Array.from(cells.subarray(y * width, (y + 1) * width), letterOf).join('');
    lines.push(`${String(first).padStart(gutter)} ${text}`);
  }
  return lines.join('\n');
}

function letterOf(severity: number): string {
  if (Number.isNaN(severity)) return 'X';
  if (severity <= 1) return '.';
  return String(Math.min(9, Math.floor(Math.log2(severity))));
}
