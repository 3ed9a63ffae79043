/** Rows as aligned text; numbers and their headings align right. */
export function table(heading: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const text = rows.map((row) => row.map(String));
  const widths = heading.map((name, column) =>
    Math.max(name.length, ...text.map((row) => row[column].length)),
  );
  const numeric = heading.map((_name, column) => rows.every((row) => typeof row[column] === 'number'));
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) => (numeric[column] ? cell.padStart(widths[column]) : cell.padEnd(widths[column])))
      .join('  ')
      .trimEnd();
  return [heading, ...text].map((cells) => `  ${line(cells)}`).join('\n');
}
