import { MultiBar, type Options, Presets, type SingleBar } from 'cli-progress';
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

/** Narrow enough for 80 columns; signals are the command's business. */
const BAR: Options = {
  format: '  {bar} {value}/{total} cases, {failed} failed, {duration_formatted}, {eta_formatted} to go',
  barsize: 24,
  hideCursor: true,
  gracefulExit: false,
  linewrap: true,
  stream: process.stdout,
  etaBuffer: 50,
};

/** Progress, failures as they come, and a table of verdicts; a bar on a terminal, plain lines elsewhere. */
export function consoleReport({ write, interactive }: Terminal): RunListener {
  const colours = pc.createColors(interactive);
  let screen: MultiBar | undefined;
  let bar: SingleBar | undefined;
  let planned = 0;
  let done = 0;
  let failed = 0;
  let told = 0;
  const say = (text: string) => {
    if (screen === undefined) write(`${text}\n`);
    else screen.log(`${text}\n`);
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
        screen = new MultiBar(BAR, Presets.shades_classic);
        bar = screen.create(planned, done, { failed });
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
      // What was logged since the last redraw would be lost otherwise.
      screen?.update();
      screen?.stop();
      screen = undefined;
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
