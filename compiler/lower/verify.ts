import { VerifierError } from '../errors.ts';
import { BLOCK_BIAS_BYTES } from '../kernels/epilogue.ts';
import type { MergeWork } from '../kernels/merge.ts';
import type { Buffer, BufferName, LoweredProgram, MergeStep, Span, Step } from './stages.ts';

/**
 * Rules a lowered program must meet before placement: spans lie inside live buffers and are aligned,
 * every byte a kernel reads was written exactly once (by the host or by a transfer), every output byte
 * has a place.
 */
export function verifyLowered(program: LoweredProgram): void {
  const buffers = new Map(program.buffers.map((buffer) => [buffer.name, buffer]));
  const written = new Map<string, { start: number; end: number }[]>();
  const check = (span: Span, bytes: number, step: number, alignment: number): void => {
    const buffer = require(buffers, span.buffer);
    const facts = { buffer: span.buffer, offset: span.offset, bytes, capacity: buffer.bytes, step };
    if (span.tile < 0 || span.tile >= program.tiles) fail('tile outside the program', facts, span.tile);
    if (span.offset % alignment !== 0 || bytes % 4 !== 0 || bytes <= 0)
      fail('span not aligned', facts, span.tile);
    if (span.offset < 0 || span.offset + bytes > buffer.bytes)
      fail('span outside its buffer', facts, span.tile);
    if (step < buffer.firstStep || step > buffer.lastStep)
      fail('buffer touched outside its life', facts, span.tile);
  };
  const write = (span: Span, bytes: number): void => {
    const key = `${span.tile}/${span.buffer}`;
    const list = written.get(key) ?? [];
    list.push({ start: span.offset, end: span.offset + bytes });
    written.set(key, list);
  };

  for (const binding of program.bindings) {
    const step = binding.direction === 'input' ? -1 : program.steps.length;
    let covered = 0;
    for (const slice of binding.slices) {
      check(slice, slice.bytes, step, 4);
      // Copies of a part of the file follow each other; the file itself is covered without a gap.
      if (slice.fileOffset > covered) break;
      if (slice.fileOffset < covered && binding.direction === 'output') break;
      covered = Math.max(covered, slice.fileOffset + slice.bytes);
      if (binding.direction === 'input') write(slice, slice.bytes);
    }
    if (covered !== binding.fileBytes)
      fail('binding slices do not cover the file', {
        binding: binding.name,
        covered,
        file: binding.fileBytes,
      });
  }
  program.steps.forEach((step, index) => {
    if (step.kind !== 'exchange') return;
    for (const transfer of step.transfers) {
      const bytes = transfer.words * 4;
      check(transfer.source, bytes, index, 4);
      const seen = new Set<number>();
      for (const receiver of transfer.receivers) {
        check(receiver, bytes, index, 4);
        if (seen.has(receiver.tile)) fail('tile receives one message twice', {}, receiver.tile);
        seen.add(receiver.tile);
        write(receiver, bytes);
      }
      if (seen.size === 0) fail('message without receiver', {}, transfer.source.tile);
    }
  });
  const staged = new Set(
    program.steps.flatMap((step) =>
      step.kind === 'merge' && step.second === undefined ? [step.first.values] : [],
    ),
  );
  const covers = (tile: number, buffer: BufferName, bytes: number): void => {
    const list = [...(written.get(`${tile}/${buffer}`) ?? [])].sort((x, y) => x.start - y.start);
    let next = 0;
    for (const { start, end } of list) {
      // Partials of a merge begin on 16 bytes.
      const gap = start - next;
      if (gap !== 0 && !(gap === 8 && start % 16 === 0 && staged.has(buffer)))
        fail('buffer written with a gap or twice', { buffer, expected: next, found: start }, tile);
      next = end;
    }
    if (next !== bytes) fail('kernel reads bytes nobody wrote', { buffer, written: next, read: bytes }, tile);
  };
  for (const step of program.steps) verifyReads(step, covers, write);
  for (const { a, b } of program.separations) {
    require(buffers, a);
    require(buffers, b);
  }
}

type Covers = (tile: number, buffer: BufferName, bytes: number) => void;
type Write = (span: Span, bytes: number) => void;

/** What a kernel reads must be there; what it makes is there from then on. */
function verifyReads(step: Step, covers: Covers, write: Write): void {
  const made = (tile: number, buffer: BufferName, bytes: number) =>
    write({ tile: tile as Span['tile'], buffer, offset: 0 }, bytes);
  switch (step.kind) {
    case 'exchange':
      return;
    case 'gemm':
      step.tiles.forEach((args, tile) => {
        if (args === undefined) return;
        covers(tile, step.left, args.rows * args.groups * 32);
        covers(tile, step.right, args.panels * args.groups * 512);
        made(tile, step.out, args.rows * args.panels * 32);
      });
      return;
    case 'reduce':
      step.tiles.forEach((args, tile) => {
        if (args !== undefined) covers(tile, step.staging, args.granules * 16 * (args.partials - 1));
      });
      return;
    case 'epilogue':
      step.tiles.forEach((args, tile) => {
        if (args !== undefined && step.bias !== undefined)
          covers(tile, step.bias, args.blocks * BLOCK_BIAS_BYTES);
      });
      return;
    case 'softmax':
      step.tiles.forEach((args, tile) => {
        if (args === undefined) return;
        covers(tile, step.scores, args.rows * args.panels * 32);
        made(tile, step.statistics, args.rows * 8);
      });
      return;
    case 'merge':
      step.tiles.forEach((args, tile) => {
        if (args === undefined) return;
        const { rows, panels, partials, partialBytes } = args;
        if (step.second === undefined) {
          coversStaged(tile, step, args, covers);
          made(tile, step.out, rows * panels * 32);
          return;
        }
        if (partials !== 2 || partialBytes !== undefined)
          fail('two partials in buffers of their own', { partials }, tile);
        for (const { values, statistics } of [step.first, step.second]) {
          covers(tile, values, rows * panels * 32);
          covers(tile, statistics, rows * 8);
        }
      });
      return;
    case 'norm':
      step.tiles.forEach((args, tile) => {
        if (args === undefined) return;
        covers(tile, step.from, args.rows * args.groups * 32);
        covers(tile, step.gamma, args.groups * 32);
        covers(tile, step.beta, args.groups * 32);
      });
      return;
    case 'add':
      step.tiles.forEach((args, tile) => {
        if (args !== undefined) covers(tile, step.b, args.granules * 16);
      });
      return;
    case 'cast':
      return;
  }
}

/** Staged partials: all bytes, but for what rounds a partial up to 16. */
function coversStaged(tile: number, step: MergeStep, work: MergeWork, covers: Covers): void {
  const { rows, panels, partials, partialBytes = 0 } = work;
  const bytes = rows * (panels * 32 + 8);
  if (partialBytes - bytes < 0 || partialBytes - bytes >= 16)
    fail('partials overlap or lie apart', { bytes, partialBytes }, tile);
  covers(tile, step.first.values, partialBytes * (partials - 1) + bytes);
}

function require(buffers: ReadonlyMap<BufferName, Buffer>, name: BufferName): Buffer {
  const buffer = buffers.get(name);
  if (buffer === undefined) throw new VerifierError('lower', 'unknown buffer', { buffer: name });
  return buffer;
}

function fail(rule: string, facts: Record<string, number | string>, tile?: number): never {
  throw new VerifierError('lower', rule, facts, tile);
}
