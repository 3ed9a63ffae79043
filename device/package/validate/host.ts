import type { HostCall, HostExchange, HostSlice } from '../model.ts';
import type { Fail } from './fail.ts';

const COMMAND_BYTES = 4;

/** Page table, start-up protocol and calls of the host exchange. */
export function checkHostExchange(exchange: HostExchange, fail: Fail): void {
  const pages = new Map<number, number>();
  for (const { index, size } of exchange.pages) {
    if (pages.has(index)) {
      fail(
        `invalid host page table: page ${index} is listed twice`,
        { page: index },
        'List every page once.',
      );
    }
    pages.set(index, size);
  }
  for (const index of exchange.attachOrder) {
    if (pages.has(index)) continue;
    const detail = `invalid host page table: attach order names page ${index}, which does not exist`;
    fail(detail, { page: index }, 'Attach only listed pages.');
  }
  if (exchange.calls.length > 0) checkCommandLocation(exchange, pages, fail);
  for (const call of exchange.calls) checkCall(call, pages, fail);
}

function checkCommandLocation(exchange: HostExchange, pages: ReadonlyMap<number, number>, fail: Fail): void {
  const { commandPage, commandOffset } = exchange;
  const size = pages.get(commandPage);
  if (size !== undefined && commandOffset + COMMAND_BYTES <= size) return;
  const where = size === undefined ? 'which does not exist' : `which has ${size} bytes`;
  fail(
    `invalid host startup protocol: command word at offset ${commandOffset} of page ${commandPage}, ${where}`,
    { commandPage, commandOffset, size: size ?? 0 },
    'Reserve 4 bytes of a listed page for the command word.',
  );
}

function checkCall(call: HostCall, pages: ReadonlyMap<number, number>, fail: Fail): void {
  if (call.invocations < 1) {
    fail(
      `host call '${call.name}' has no invocations`,
      { call: call.name },
      'Set invocations to at least 1.',
    );
  }
  checkBatches(call.name, 'input', call.inputBatchEnds, call.inputs.length, fail);
  checkBatches(call.name, 'output', call.outputBatchEnds, call.outputs.length, fail);
  for (const slice of call.inputs) checkSlice(call.name, slice, pages, fail);
  for (const slice of call.outputs) checkSlice(call.name, slice, pages, fail);
}

/** Ends strictly increase within 1..slices and reach the slice count; no ends only for no slices. */
function checkBatches(
  call: string,
  direction: 'input' | 'output',
  ends: readonly number[],
  slices: number,
  fail: Fail,
): void {
  let covered = 0;
  for (const end of ends) {
    if (end <= covered || end > slices) {
      fail(
        `host call '${call}' has invalid ${direction} batch boundary ${end}`,
        { call, boundary: end, previous: covered, slices },
        `Batch ends strictly increase and are at most the number of slices, ${slices}.`,
      );
    }
    covered = end;
  }
  if (covered !== slices) {
    fail(
      `host call '${call}' ${direction} batches cover ${covered} of ${slices} slices`,
      { call, covered, slices },
      'State the batch ends explicitly; the last one is the number of slices.',
    );
  }
}

function checkSlice(call: string, slice: HostSlice, pages: ReadonlyMap<number, number>, fail: Fail): void {
  const { page, pageOffset, size } = slice;
  const pageSize = pages.get(page);
  const facts = { call, page, pageOffset, size };
  if (pageSize === undefined) {
    fail(`host call '${call}' references missing page ${page}`, facts, 'List the page or move the slice.');
  } else if (pageOffset + size > pageSize) {
    fail(
      `host call '${call}' slice of ${size} bytes at offset ${pageOffset} exceeds page bounds of page ${page}, ${pageSize} bytes`,
      { ...facts, pageSize },
      'Shorten the slice or enlarge the page.',
    );
  }
}
