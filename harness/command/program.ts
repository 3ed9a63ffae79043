import { Command, InvalidArgumentError, Option } from 'commander';
import { packageRoot, packageVersion } from '../record/host-facts.ts';
import type { House } from './house.ts';
import type { ListFlags } from './list-command.ts';
import type { ReportFlags } from './report-command.ts';
import type { ReproFlags } from './repro-command.ts';
import type { RunFlags } from './run-command.ts';
import type { AsmFlags, DisasmFlags, KernelFlags } from './workbench-command.ts';

const EXIT_CODES = `
Exit codes:
    0  all good; known failures are allowed
    1  wrong results: numerics, contract, compile error, device fault, or a check that proved nothing
    2  the request is wrong
    3  cycle budgets broken, nothing else
    4  infrastructure prevented a judgement
    5  a known failure passes (with --strict)
    6  incomplete: cases were planned and not run, or nothing was judged
  130  interrupted`;

/** Tiles of an IPU21 [HW]. */
const LARGEST_TILE = 1471;

/** An option parser for integers within a range. */
function integer(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    throw new InvalidArgumentError(`allowed: integer ${min}..${max}.`);
  };
}

function shard(text: string): { index: number; count: number } {
  const form = /^([1-9]\d{0,3})\/([1-9]\d{0,3})$/.exec(text);
  const [index, count] = [Number(form?.[1]), Number(form?.[2])];
  if (index <= count) return { index, count };
  throw new InvalidArgumentError('allowed: i/n with i from 1 to n.');
}

function withSelection(command: Command): Command {
  return command
    .argument('[cases...]', 'case lines; without them a tier is taken')
    .option('--tier <name>', 'smoke, ci, nightly or perf (default: smoke)')
    .option('--match <regex>', 'keep cases whose line matches')
    .option('--exclude <regex>', 'drop cases whose line matches')
    .option('--tiles <list>', 'keep these tile counts, e.g. 1,8,16-64')
    .option('--seed <n>', 'use this seed for every case')
    .addOption(new Option('--shard <i/n>', 'take every n-th case, beginning with the i-th').argParser(shard));
}

function withDevice(command: Command): Command {
  return command
    .option('--device <name>', 'sim, or the path of a card', 'sim')
    .addOption(
      new Option('--threads <n>', 'host threads of one simulator').default(1).argParser(integer(1, 16)),
    );
}

function withOut(command: Command): Command {
  return command.option('--out <dir>', 'where runs are kept', 'runs');
}

/** The commands. Their code loads when they run, so that help is quick. */
export function buildProgram(house: House, exit: (code: number) => void): Command {
  const program = new Command('ipu-verify')
    .description('Verifies compiled programs for IPU21 on a device, against a host reference.')
    .version(packageVersion(packageRoot()))
    .addHelpText('after', EXIT_CODES)
    .showSuggestionAfterError()
    .exitOverride()
    .configureOutput({ outputError: () => {} });
  const add = (name: string, description: string) =>
    program.command(name).description(description).exitOverride();

  withSelection(add('list', 'print the cases a selection holds'))
    .option('--json', 'as a JSON array')
    .action(async (cases: string[], flags: ListFlags) => {
      const { listCommand } = await import('./list-command.ts');
      await listCommand(house, cases, flags);
    });

  withOut(withDevice(withSelection(add('run', 'run cases and write results and reports'))))
    .addOption(
      new Option('--lanes <n>', 'worker processes (default: one per core)').argParser(integer(1, 64)),
    )
    .addOption(
      new Option('--bail <n>', 'begin no further case after n failures')
        .default(0)
        .argParser(integer(0, 1_000_000)),
    )
    .addOption(
      new Option('--timeout <s>', 'seconds one case may take').default(600).argParser(integer(1, 86_400)),
    )
    .option('--run-id <id>', 'name of the run (default: time and hash)')
    .option('--resume <run>', 'go on with an unfinished run')
    .option('--budget <file>', 'cycle budgets, rows: case | cycles')
    .option('--known <file>', 'known failures, rows: case | verdict or skip | owner | expiry | why')
    .option('--strict', 'a known failure that passes fails the run')
    .option('--no-allure', 'write no Allure report')
    .option('--json', 'print records and a summary as JSON lines')
    .action(async (cases: string[], flags: RunFlags) => {
      const { runCommand } = await import('./run-command.ts');
      exit(await runCommand(house, cases, flags));
    });

  withOut(withDevice(add('repro', 'run one case in this process with full diagnostics')))
    .argument('<case>', 'case line')
    .addOption(
      new Option('--listing <tile>', 'print the program of this logical tile').argParser(
        integer(0, LARGEST_TILE),
      ),
    )
    .option('--json', 'print the record as JSON')
    .action(async (line: string, flags: ReproFlags) => {
      const { reproCommand } = await import('./repro-command.ts');
      exit(await reproCommand(house, line, flags));
    });

  withOut(add('report', 'write the reports of a run again from its results'))
    .argument('[run]', 'run id, run directory, or latest', 'latest')
    .option('--no-allure', 'write no Allure report')
    .action(async (run: string, flags: ReportFlags) => {
      const { reportCommand } = await import('./report-command.ts');
      await reportCommand(house, run, flags);
    });

  addWorkbench(add, house, exit);
  return program;
}

/** Commands of the kernel author's workbench. */
function addWorkbench(
  add: (name: string, description: string) => Command,
  house: House,
  exit: (code: number) => void,
): void {
  const collect = (text: string, list: string[]) => [...list, text];

  add('asm', 'assemble a source: listing, symbols, cycles of each block')
    .argument('<file.S>', 'source in Colossus assembly')
    .option('-D, --define <name=value>', 'preprocessor definition; may be repeated', collect, [])
    .option('-I, --include <dir>', 'folder of included files; may be repeated', collect, [])
    .option('-o, --output <file.o>', 'write an ELF object')
    .option('--json', 'print a summary as JSON')
    .action(async (file: string, { define, ...flags }: AsmFlags) => {
      const { answer } = await import('./workbench-command.ts');
      exit(await answer(house, (bench) => bench.assemble({ file, defines: define, ...flags }), flags.json));
    });

  add('kernel', 'assemble a kernel, run it on one simulated tile, check its outputs and cycles')
    .argument('<spec.json>', 'what it is called with and what must come out')
    .option('--case <sizes>', 'one case, such as n=17,m=3')
    .addOption(new Option('--cases <n>', 'cases to draw').argParser(integer(1, 100_000)))
    .addOption(new Option('--seed <n>', 'seed of the draw').argParser(integer(0, 0x7fff_ffff)))
    .option('--timeline', 'print what every context issued, turn by turn')
    .option('--picture <file.svg>', 'draw it')
    .option('--json', 'print the outcome as JSON')
    .action(async (spec: string, flags: KernelFlags) => {
      const { answer } = await import('./workbench-command.ts');
      exit(await answer(house, (bench) => bench.kernel({ spec, ...flags }), flags.json));
    });

  add('disasm', 'print the program of a tile of a package, or of an ELF object')
    .argument('<file>', 'package (.ipuexe) or object (.o)')
    .addOption(new Option('--tile <n>', 'logical tile').default(0).argParser(integer(0, LARGEST_TILE)))
    .option('--physical', 'the number is a physical tile')
    .option('--json', 'print a summary as JSON')
    .action(async (file: string, flags: DisasmFlags) => {
      const { answer } = await import('./workbench-command.ts');
      exit(await answer(house, (bench) => bench.disassemble({ file, ...flags }), flags.json));
    });
}
