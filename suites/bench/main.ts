/**
 * `npm run bench`: measures the project's figures with tinybench and prints them beside their targets and,
 * with `--against FILE`, beside a saved run as ratios. `--save FILE` keeps this run.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { Bench } from 'tinybench';
import { measurePoints } from '../kernels/points.ts';
import { type BenchTask, benchTasks } from './tasks.ts';

const { values } = parseArgs({
  options: {
    against: { type: 'string' },
    save: { type: 'string' },
    match: { type: 'string', default: '' },
  },
});

if (values.against !== undefined && !existsSync(values.against)) {
  process.stderr.write(`bench: there is no saved run ${values.against}\n`);
  process.exit(2);
}
const saved: Readonly<Record<string, number>> =
  values.against === undefined ? {} : JSON.parse(readFileSync(values.against, 'utf8'));

const tasks = (await benchTasks()).filter((task) => task.name.includes(values.match));
const figures: Record<string, number> = {};
process.stdout.write(
  `${cpus().length} cores, ${cpus()[0]?.model ?? 'unknown CPU'}, node ${process.version}\n\n`,
);
process.stdout.write(`${row('figure', 'median', 'target', 'met', 'ratio to saved')}\n`);
process.stdout.write(`${row('---', '---', '---', '---', '---')}\n`);
for (const task of tasks) {
  figures[task.name] = await measure(task);
  process.stdout.write(`${report(task, figures[task.name])}\n`);
}
if ('kernel points'.includes(values.match)) {
  process.stdout.write(
    '\nkernel points: measured on a card, described kernel simulated, difference, own kernel\n',
  );
  for (const { kernel, size, measured, described, own } of await measurePoints()) {
    const difference = described === undefined ? '-' : `${(100 * (described / measured - 1)).toFixed(1)} %`;
    process.stdout.write(
      `${row(`${kernel}, ${size}`, String(measured), String(described ?? '-'), difference, String(own ?? '-'))}\n`,
    );
  }
}
if (values.save !== undefined) writeFileSync(values.save, `${JSON.stringify(figures, undefined, 2)}\n`);
process.exit(0);

/** Median over the iterations, in the task's unit. */
async function measure(task: BenchTask): Promise<number> {
  const bench = new Bench({
    iterations: task.iterations,
    time: 0,
    warmupIterations: 1,
    warmupTime: 0,
    throws: true,
    retainSamples: true,
  });
  bench.add(task.name, () => task.run());
  const [result] = await bench.run();
  const outcome = result.result;
  if (outcome === undefined || !('latency' in outcome)) throw new Error(`${task.name} gave no result`);
  const seconds = outcome.latency.p50 / 1000;
  return task.unit === 's' ? seconds : task.work / seconds;
}

function report(task: BenchTask, figure: number): string {
  const isTime = task.unit === 's';
  const met = isTime ? figure <= task.target : figure >= task.target;
  const before = saved[task.name];
  return row(
    task.name,
    `${figure.toPrecision(3)} ${task.unit}`,
    `${isTime ? '<=' : '>='} ${task.target}`,
    met ? 'yes' : 'no',
    before === undefined ? '-' : (figure / before).toFixed(2),
  );
}

function row(...cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}
