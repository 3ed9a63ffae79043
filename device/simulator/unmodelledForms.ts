import { encode, FORMS, type FormId, SYNC } from '../ipu21/index.ts';
import { NOT_MODELLED } from './faults.ts';
import { ChipMemory } from './tileMemory.ts';
import { STATE, STATUS } from './tileState.ts';

const TILE = 0;
const CODE = 0x4c010;
const CYCLE_LIMIT = 1000n;
/** Values tried in every immediate: some operands make no sense at 0, such as the barrier of sync. */
const IMMEDIATES = [0, SYNC.local];

type Form = (typeof FORMS)[number];

/**
 * Instruction forms that the decoder knows and the engine has no behaviour for, in the order of FORMS. Found by
 * running each one: a program that meets one of them stops with `not modelled`, never with a wrong result.
 */
export function unmodelledForms(): readonly FormId[] {
  const memory = new ChipMemory([TILE]);
  try {
    return FORMS.filter((form) => IMMEDIATES.every((value) => isUnmodelled(memory, form, value))).map(
      (form) => form.id,
    );
  } finally {
    memory.host.release();
  }
}

/** Runs one instruction of a form; anything but `not modelled`, an exception included, is behaviour. */
function isUnmodelled(memory: ChipMemory, form: Form, immediate: number): boolean {
  const base = memory.base(TILE);
  memory.bytes.fill(0, base + STATE.time, base + STATE.sendList);
  const isExchange = /^(delay|send)/.test(form.mnemonic);
  const words = [form.match, ...(form.words === 2 ? [0] : [])];
  for (const slot of form.operands) {
    if (slot.kind !== 'immediate' || slot.bits < 2) continue;
    const [at] = slot.pieces[0];
    if (at < 32) words[0] = (words[0] | (immediate << at)) >>> 0;
  }
  // Continuations need a stream to continue.
  if (isExchange) words.unshift(encode('send', [0, 0, 1]), encode('nop', []));
  const worker = form.mode === 'worker';
  words.push(worker ? encode('trap', [0]) : encode('sync', [SYNC.gs2Host]));
  memory.sram(TILE, CODE, words.length * 4).set(new Uint8Array(Uint32Array.from(words).buffer));
  memory.setU32(TILE, STATE.supervisor, CODE);
  memory.setU32(TILE, STATE.workers, CODE);
  if (worker) memory.setU32(TILE, STATE.active, 1);
  if (isExchange) memory.setU32(TILE, STATE.inRow, 1);
  memory.host.engine.run(base, CYCLE_LIMIT);
  return (
    memory.u32(TILE, STATE.status) === STATUS.faulted && memory.u32(TILE, STATE.faultCode) === NOT_MODELLED
  );
}
