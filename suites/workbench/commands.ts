import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { AssemblyError, assemble } from '../../compiler/assembler/text/index.ts';
import { ObjectError, readElf, summarize, writeElf } from '../../compiler/object/index.ts';
import { DeviceError } from '../../device/device.ts';
import {
  disassembleProgram,
  logicalTile,
  logicalTileOf,
  type PhysicalTile,
  physicalTileOf,
} from '../../device/ipu21/index.ts';
import { type Application, PackageError, readPackage, SEGMENT_EXECUTE } from '../../device/package/index.ts';
import { UsageError } from '../../harness/case/index.ts';
import type {
  Answer,
  AsmRequest,
  DisasmRequest,
  KernelRequest,
  Workbench,
} from '../../harness/command/house.ts';
import { asmReport, columns } from './asmReport.ts';
import { blocksOf } from './blocks.ts';
import { buildKernel, includesIn, readNamed } from './build.ts';
import { type Campaign, checkKernel, type Sizes } from './check.ts';
import { timelineSvg, timelineText } from './picture.ts';
import { type KernelOutcome, kernelLine, runKernelCase } from './runCase.ts';
import { type KernelSpec, readSpec } from './spec.ts';

const GOOD = 0;
const WRONG = 1;
const INFRASTRUCTURE = 4;

/** What a kernel author is told instead of a stack: the error's own text, and an exit code. */
function answerTo(error: unknown): Answer {
  if (error instanceof AssemblyError)
    return failed(error.message, { diagnostics: error.message.split('\n') });
  if (error instanceof ObjectError)
    return failed(`${error.name}: ${error.message}`, { error: error.message });
  if (error instanceof PackageError)
    return { text: error.message, json: { error: error.message }, exitCode: INFRASTRUCTURE };
  throw error;
}

const failed = (text: string, json: object): Answer => ({ text, json, exitCode: WRONG });

const definesOf = (defines: readonly string[]): ReadonlyMap<string, string> =>
  new Map(
    defines.map((text) => {
      const [, name, , value] = /^([A-Za-z_]\w*)(=(.*))?$/.exec(text) ?? [];
      if (name === undefined)
        throw new UsageError(`-D ${text} defines nothing`, 'define', text, 'NAME or NAME=VALUE');
      return [name, value ?? '1'];
    }),
  );

function writeNamed(path: string, data: string | Uint8Array): void {
  try {
    mkdirSync(dirname(resolve(path)), { recursive: false });
  } catch {
    // It is there, or writing says why not.
  }
  try {
    writeFileSync(path, data);
  } catch (error) {
    throw new UsageError(
      `${path} cannot be written: ${(error as Error).message}`,
      'file',
      path,
      'a writable path',
    );
  }
}

async function assembleCommand(request: AsmRequest): Promise<Answer> {
  const text = readNamed(request.file).toString('utf8');
  try {
    const assembled = assemble(text, {
      file: request.file,
      defines: definesOf(request.defines),
      include: includesIn(request.include),
    });
    if (request.output !== undefined) writeNamed(request.output, writeElf(assembled.object));
    const blocks = blocksOf(assembled).map(({ lines, ...block }) => ({
      ...block,
      bytes: 4 * lines.flatMap((line) => line.words).length,
    }));
    return { text: asmReport(assembled), json: { ...summarize(assembled.object), blocks }, exitCode: GOOD };
  } catch (error) {
    return answerTo(error);
  }
}

/** `n=17,m=3` as sizes of the spec. */
function sizesOf(text: string, spec: KernelSpec): Sizes {
  const given = new Map(
    text.split(',').map((part) => {
      const [, name, value] = /^([A-Za-z_]\w*)=(\d{1,6})$/.exec(part.trim()) ?? [];
      if (name === undefined || !Object.hasOwn(spec.sizes, name))
        throw new UsageError(
          `--case ${part} is no size`,
          'case',
          part,
          Object.keys(spec.sizes)
            .map((size) => `${size}=N`)
            .join(','),
        );
      return [name, Number(value)] as const;
    }),
  );
  return Object.fromEntries(
    Object.keys(spec.sizes).map((name) => {
      const value = given.get(name);
      if (value === undefined) throw new UsageError(`--case has no ${name}`, 'case', text, `${name}=N`);
      return [name, value];
    }),
  );
}

const CONTEXTS = ['supervisor', 'worker 0', 'worker 1', 'worker 2', 'worker 3', 'worker 4', 'worker 5'];

function activityText({ activity, line, cycleLimit }: KernelOutcome): string {
  const rows = activity.contexts.map(({ context, issues, dual, cycles }) => [
    CONTEXTS[context],
    issues,
    dual,
    cycles,
    context === 0 || issues === 0 ? '' : `${((100 * dual) / issues).toFixed(0)} % dual`,
  ]);
  const limit = cycleLimit === undefined ? '' : `, ${cycleLimit} allowed`;
  return [
    `${line}: ${activity.cycles} tile cycles from launch to return${limit}`,
    ...columns([['context', 'issues', 'dual', 'cycles', ''], ...rows]).map((row) => `  ${row}`),
  ].join('\n');
}

function campaignText(spec: KernelSpec, path: string, campaign: Campaign): string {
  const { cases, seed, failure, largest, cyclesRange } = campaign;
  const parts: string[] = [];
  if (failure !== undefined) {
    const line = kernelLine(spec, failure.sizes);
    parts.push(`FAILED ${line} (smallest failing case found)`);
    parts.push(
      failure.outcome?.failures.join('\n') ?? `${failure.error?.message}${registersText(failure.error)}`,
    );
    const sizes = Object.entries(failure.sizes).map(([name, value]) => `${name}=${value}`);
    const choice = sizes.length === 0 ? '' : ` --case ${sizes.join(',')}`;
    parts.push(`again: ipu-verify kernel ${path}${choice} --timeline`);
    if (failure.outcome !== undefined) parts.push(activityText(failure.outcome));
  }
  if (failure === undefined && largest !== undefined) parts.push(activityText(largest));
  const range = cyclesRange === undefined ? '' : `, ${cyclesRange[0]} to ${cyclesRange[1]} cycles`;
  parts.push(
    `kernel ${spec.name}: ${failure === undefined ? 'passed' : 'FAILED'}, ${cases} cases, seed ${seed}${range}`,
  );
  return parts.join('\n\n');
}

const registersText = (error: Error | undefined): string =>
  error instanceof DeviceError && error.facts.registers !== undefined ? `\n  ${error.facts.registers}` : '';

const outcomeJson = ({ line, sizes, failures, activity, cycleLimit }: KernelOutcome) => ({
  line,
  sizes,
  failures,
  cycles: activity.cycles,
  cycleLimit,
  contexts: activity.contexts,
});

async function kernelCommand(request: KernelRequest): Promise<Answer> {
  const spec = withSeed(readSpec(request.spec), request);
  try {
    const kernel = buildKernel(spec);
    if (request.case === undefined) {
      const campaign = await checkKernel(spec, kernel, request.onCase);
      const outcome = campaign.failure?.outcome ?? campaign.largest;
      return {
        text: [campaignText(spec, request.spec, campaign), ...pictures(outcome, request)].join('\n\n'),
        json: {
          name: spec.name,
          cases: campaign.cases,
          seed: campaign.seed,
          failure:
            campaign.failure === undefined
              ? undefined
              : { sizes: campaign.failure.sizes, message: campaign.failure.error?.message },
          case: outcome === undefined ? undefined : outcomeJson(outcome),
        },
        exitCode: campaign.failure === undefined ? GOOD : WRONG,
      };
    }
    const outcome = await runKernelCase(spec, kernel, sizesOf(request.case, spec));
    const bad = outcome.failures.length > 0;
    return {
      text: [
        ...outcome.failures,
        activityText(outcome),
        ...pictures(outcome, request),
        `${outcome.line}: ${bad ? 'FAILED' : 'passed'}`,
      ].join('\n\n'),
      json: outcomeJson(outcome),
      exitCode: bad ? WRONG : GOOD,
    };
  } catch (error) {
    if (error instanceof DeviceError && error.verdict === 'device-fault')
      return failed(`${error.message}\nhint: ${error.advice}${registersText(error)}`, {
        error: error.message,
        ...error.facts,
      });
    return answerTo(error);
  }
}

const withSeed = (spec: KernelSpec, { cases, seed }: KernelRequest): KernelSpec => ({
  ...spec,
  ...(cases === undefined ? {} : { cases }),
  ...(seed === undefined ? {} : { seed }),
});

function pictures(outcome: KernelOutcome | undefined, { timeline, picture }: KernelRequest): string[] {
  if (outcome === undefined) return [];
  const parts = timeline ? [timelineText(outcome.activity)] : [];
  if (picture !== undefined) {
    writeNamed(picture, timelineSvg(outcome.activity, outcome.line));
    parts.push(`picture: ${picture}`);
  }
  return parts;
}

/** Physical tile of the request; by default the logical tile 0, or the only tile there is. */
function tileOf({ tile, physical }: DisasmRequest, application: Application): number {
  const wanted = physical ? tile : physicalTileOf(logicalTile(tile));
  if (application.tiles.some(({ physicalTile }) => physicalTile === wanted)) return wanted;
  const have = application.tiles
    .map(({ physicalTile }) => logicalTileOf(physicalTile as PhysicalTile))
    .sort((a, b) => a - b);
  const few = have.length > 8 ? `${have.slice(0, 8).join(', ')}, ... ${have.length} in all` : have.join(', ');
  throw new UsageError(
    `the package has no program for tile ${tile}`,
    'tile',
    String(tile),
    `logical tiles ${few}`,
  );
}

async function disassembleCommand(request: DisasmRequest): Promise<Answer> {
  const bytes = readNamed(request.file);
  try {
    if (bytes.subarray(0, 4).equals(Buffer.from('\x7fELF', 'latin1')))
      return disassembleObject(request, bytes);
    const application = readPackage(bytes);
    const physicalTile = tileOf(request, application);
    const image = application.tiles.find((one) => one.physicalTile === physicalTile);
    const symbols = new Map(application.debugSymbols.map(({ name, address }) => [name, address]));
    const logical = logicalTileOf(physicalTile as PhysicalTile);
    const segments = (image?.segments ?? []).map((segment) => {
      const end = segment.address + segment.memorySize;
      const range = `0x${segment.address.toString(16)}..0x${(end - 1).toString(16)}`;
      const named = application.debugRegions
        .filter(
          (region) =>
            (region.physicalTile === physicalTile || region.physicalTile === 0xffffffff) &&
            region.address < end &&
            region.address + region.size > segment.address,
        )
        .map(({ name }) => name);
      const code = (segment.flags & SEGMENT_EXECUTE) !== 0 && segment.address < 0x80000;
      const head = `segment ${range}, ${segment.memorySize} bytes${named.length === 0 ? '' : `: ${[...new Set(named)].slice(0, 6).join(', ')}`}`;
      if (!code) return `${head}\n  data`;
      const words = new Uint32Array(segment.data.slice(0, segment.data.length & ~3).buffer);
      return `${head}\n${disassembleProgram(segment.address, words, symbols)}`;
    });
    const head = `tile ${logical} (physical ${physicalTile}), entry 0x${image?.entryPoint.toString(16)}, compiler ${application.compilerVersion}`;
    return {
      text: [head, ...segments].join('\n\n'),
      json: {
        tile: logical,
        physicalTile,
        entryPoint: image?.entryPoint,
        segments: segments.length,
        symbols: Object.fromEntries(symbols),
      },
      exitCode: GOOD,
    };
  } catch (error) {
    return answerTo(error);
  }
}

function disassembleObject({ file }: DisasmRequest, bytes: Uint8Array): Answer {
  const object = readElf(bytes, file);
  const sections = object.sections
    .filter((section) => section.executable)
    .map((section) => {
      const symbols = new Map(
        object.symbols
          .filter((symbol) => symbol.section === section.name && symbol.kind !== 'section')
          .map(({ name, value }) => [name, value]),
      );
      const words = new Uint32Array(section.bytes.slice(0, section.size & ~3).buffer);
      return `section ${section.name}\n${disassembleProgram(0, words, symbols)}`;
    });
  return { text: sections.join('\n\n'), json: summarize(object), exitCode: GOOD };
}

export const workbench: Workbench = {
  assemble: assembleCommand,
  kernel: kernelCommand,
  disassemble: disassembleCommand,
};
