import { VerifierError } from '../errors.ts';
import { BLOCK_BIAS_BYTES } from '../kernels/epilogue.ts';
import type { Buffer, BufferName, LoweredProgram, Span } from './stages.ts';

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
  const covers = (tile: number, buffer: BufferName, bytes: number): void => {
    const list = [...(written.get(`${tile}/${buffer}`) ?? [])].sort((x, y) => x.start - y.start);
    let next = 0;
    for (const { start, end } of list) {
      if (start !== next)
        fail('buffer written with a gap or twice', { buffer, expected: next, found: start }, tile);
      next = end;
    }
    if (next !== bytes) fail('kernel reads bytes nobody wrote', { buffer, written: next, read: bytes }, tile);
  };
  for (const step of program.steps) {
    if (step.kind === 'gemm') {
      step.tiles.forEach((args, tile) => {
        if (args === undefined) return;
        covers(tile, step.left, args.rows * args.groups * 32);
        covers(tile, step.right, args.panels * args.groups * 512);
      });
    } else if (step.kind === 'reduce') {
      step.tiles.forEach((args, tile) => {
        if (args !== undefined) covers(tile, step.staging, args.granules * 16 * (args.partials - 1));
      });
    } else if (step.kind === 'epilogue' && step.bias !== undefined) {
      const { bias } = step;
      step.tiles.forEach((args, tile) => {
        if (args !== undefined) covers(tile, bias, args.blocks * BLOCK_BIAS_BYTES);
      });
    }
  }
  for (const { a, b } of program.separations) {
    require(buffers, a);
    require(buffers, b);
  }
}

function require(buffers: ReadonlyMap<BufferName, Buffer>, name: BufferName): Buffer {
  const buffer = buffers.get(name);
  if (buffer === undefined) throw new VerifierError('lower', 'unknown buffer', { buffer: name });
  return buffer;
}

function fail(rule: string, facts: Record<string, number | string>, tile?: number): never {
  throw new VerifierError('lower', rule, facts, tile);
}
