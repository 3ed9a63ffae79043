import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  formatRatio,
  isFailure,
  type ResultRecord,
  type RunListener,
  type RunView,
  VERDICTS,
} from '../harness/record/index.ts';

/** Failing cases told one by one. */
const MOST_TOLD = 40;
/** Cases in the table of speeds. */
const MOST_SPEEDS = 10;

/** `digest.md`: a run on one page, for chat and mail. */
export function markdownReport(): RunListener {
  return {
    name: 'markdown',
    async onEnd(run) {
      const path = join(run.directory.path, 'digest.md');
      writeFileSync(path, markdownText(run));
      return path;
    },
  };
}

export function markdownText(run: RunView): string {
  const { manifest, records, summary } = run;
  const { device, git, versions } = manifest;
  const failing = records.filter(({ verdict }) => isFailure(verdict) || verdict === 'unexpected-pass');
  const worst = summary.worst;
  return `${[
    `# Run ${manifest.run}`,
    '',
    `${summary.planned} cases planned, ${summary.executed} executed, ${summary.counts.passed} passed; exit code ${summary.exitCode}` +
      `${manifest.state === 'finished' ? '' : ` (${manifest.state})`}.`,
    '',
    `- device: ${device.kind} ${device.model}, ${device.tiles} tiles at ${device.clockHz / 1e6} MHz`,
    `- commit: ${git === undefined ? 'unknown' : `${git.commit}${git.dirty ? ' with changes' : ''}`}`,
    `- versions: ${Object.entries(versions)
      .map(([name, version]) => `${name} ${version}`)
      .join(', ')}`,
    `- options: ${Object.entries(manifest.options)
      .map(([key, value]) => `${key}=${value}`)
      .join(' ')}`,
    ...(worst === undefined ? [] : [`- worst bound ratio: ${formatRatio(worst.ratio)} in \`${worst.case}\``]),
    '',
    ...tableOf(
      ['verdict', 'cases'],
      VERDICTS.filter((verdict) => summary.counts[verdict] > 0).map((verdict) => [
        verdict,
        String(summary.counts[verdict]),
      ]),
    ),
    ...failureSection(failing),
    ...speedSection(records),
  ].join('\n')}\n`;
}

function failureSection(failing: readonly ResultRecord[]): string[] {
  if (failing.length === 0) return [];
  const lines = ['', '## Failures', '', ...patternTable(failing)];
  for (const record of failing.slice(0, MOST_TOLD)) {
    lines.push('', `**${record.verdict}** \`${record.case}\``, '');
    for (const reason of record.reasons) lines.push(`- ${cell(reason)}`);
    for (const { patterns } of record.outputs) {
      for (const { kind, detail } of patterns.slice(0, 2))
        lines.push(`- looks like ${kind}: ${cell(detail)}`);
    }
    lines.push(`- \`${record.repro}\``);
  }
  if (failing.length > MOST_TOLD)
    lines.push('', `${failing.length - MOST_TOLD} further failures are in results.jsonl.`);
  return lines;
}

/** Failures that look alike, counted together. */
function patternTable(failing: readonly ResultRecord[]): string[] {
  const counts = new Map<string, number>();
  for (const record of failing) {
    const [pattern] = record.outputs.flatMap(({ patterns }) => patterns);
    const key = `${record.verdict}\0${pattern?.kind ?? record.failure?.stage ?? '-'}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const rows = [...counts]
    .sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
    .map(([key, count]) => [...key.split('\0'), String(count)]);
  return tableOf(['verdict', 'pattern or stage', 'cases'], rows);
}

function speedSection(records: readonly ResultRecord[]): string[] {
  const rows = records
    .filter((record) => record.tflops !== undefined && record.cycles !== undefined)
    .sort((a, b) => (b.tflops ?? 0) - (a.tflops ?? 0) || a.index - b.index)
    .slice(0, MOST_SPEEDS)
    .map((record) => [
      `\`${record.case}\``,
      String(record.cycles),
      (record.microseconds ?? 0).toFixed(2),
      (record.tflops ?? 0).toPrecision(4),
    ]);
  if (rows.length === 0) return [];
  return ['', '## Fastest cases', '', ...tableOf(['case', 'device cycles', 'us', 'TFLOPS'], rows)];
}

function tableOf(heading: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(' | ')} |`;
  return [line(heading), line(heading.map(() => '---')), ...rows.map(line)];
}

/** Text that stays inside its cell or item. */
function cell(text: string): string {
  return text.replaceAll('|', '\\|').replace(/\s*\n\s*/g, ' ');
}
