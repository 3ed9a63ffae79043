import { type Options, Presets, SingleBar } from 'cli-progress';
import pc from 'picocolors';
import type { Terminal } from '../harness/command/index.ts';
import {
  formatRatio,
  isFailure,
  type ResultRecord,
  type RunListener,
  VERDICT_CLASS,
  VERDICTS,
} from '../harness/record/index.ts';

/** Failures told in full while the run goes on; the rest is in the reports. */
const MOST_TOLD = 50;
/** Results between two plain progress lines. */
const PLAIN_STEPS = 10;

/** Progress, failures as they come, and a table of verdicts; a bar on a terminal, plain lines elsewhere. */
export function consoleReport({ write, interactive }: Terminal): RunListener {
  const colours = pc.createColors(interactive);
  let bar: SingleBar | undefined;
  let planned = 0;
  let done = 0;
  let failed = 0;
  let told = 0;
  const say = (text: string) => {
    if (bar === undefined) write(`${text}\n`);
    else write(`\r\x1b[K${text}\n`);
    bar?.updateETA();
    bar?.render();
  };
  const step = () => {
    bar?.update(done, { failed });
    const every = Math.max(1, Math.ceil(planned / PLAIN_STEPS));
    if (bar === undefined && (done % every === 0 || done === planned)) {
      write(`  ${done} of ${planned} cases done, ${failed} failed\n`);
    }
  };
  return {
    name: 'console',
    onStart(manifest, directory, settled) {
      done = settled;
      planned = manifest.planned.length;
      const { device, options } = manifest;
      const flags = Object.entries(options).map(([key, value]) => `${key}=${value}`);
      write(
        [
          `run ${manifest.run}: ${planned} cases on ${device.kind} ${device.model}, ${device.tiles} tiles at ${device.clockHz / 1e6} MHz`,
          `  seed ${options['seed'] ?? 'of each case line'}; ${flags.join(' ')}`,
          ...(settled === 0 ? [] : [`  ${settled} cases are settled already`]),
          `  commit ${commitOf(manifest.git)}; results in ${directory.results}`,
          '',
        ].join('\n'),
      );
      if (interactive && planned > 0) {
        bar = new SingleBar(barOptions(), Presets.shades_classic);
        bar.start(planned, done, { failed });
      }
    },
    onResult(record) {
      done++;
      if (isFailure(record.verdict)) {
        failed++;
        told++;
        if (told <= MOST_TOLD) say(failureText(record, colours));
        if (told === MOST_TOLD) say('further failures are in the reports');
      } else if (record.verdict === 'unexpected-pass') {
        say(`${colours.yellow(record.verdict)} ${record.case}\n    ${record.reason}`);
      }
      step();
    },
    onNotice: (text) => say(colours.dim(text)),
    async onEnd(run) {
      bar?.stop();
      bar = undefined;
      const { counts, worst } = run.summary;
      const present = VERDICTS.filter((verdict) => counts[verdict] > 0);
      const width = Math.max(...present.map((verdict) => verdict.length));
      for (const verdict of present) {
        const good = VERDICT_CLASS[verdict] === 'good';
        const name = verdict.padEnd(width);
        write(`  ${good ? colours.green(name) : colours.red(name)}  ${counts[verdict]}\n`);
      }
      if (worst !== undefined) write(`  worst bound ratio ${formatRatio(worst.ratio)}: ${worst.case}\n`);
      return undefined;
    },
  };
}

function commitOf(git: { readonly commit: string; readonly dirty: boolean } | undefined): string {
  return git === undefined ? 'unknown' : `${git.commit.slice(0, 12)}${git.dirty ? ' with changes' : ''}`;
}

function barOptions(): Options {
  return {
    format: '  {bar} {value}/{total} cases, {failed} failed, {duration_formatted}, {eta_formatted} to go',
    hideCursor: true,
    stream: process.stdout,
    etaBuffer: 50,
  };
}

/** What somebody needs who wants to act on a failure now. */
export function failureText(record: ResultRecord, colours = pc.createColors(false)): string {
  const lines = [
    `${colours.red(record.verdict)} ${record.case}`,
    ...record.reasons.map((reason) => `    ${reason}`),
  ];
  for (const { patterns } of record.outputs) {
    for (const { kind, detail, stage } of patterns.slice(0, 2)) {
      lines.push(`    looks like ${kind}: ${detail} [${stage}]`);
    }
  }
  if (record.failure !== undefined) lines.push(`    ${record.failure.advice}`);
  lines.push(`    ${record.repro}`);
  return lines.join('\n');
}
