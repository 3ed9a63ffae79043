import type { Form } from './form.ts';
import type { Slot } from './slot.ts';

/** Text pattern of a slot: `$aDst0:+1`, `$mDelta0+=`, `$aSrc0:BL`, `simm16`. */
export function slotSyntax(slot: Slot): string {
  if (slot.kind === 'immediate') {
    const kind = `${slot.type}${slot.bits}`;
    return slot.name === 'Imm' ? kind : `${slot.name}(${kind})`;
  }
  const group = slot.span === 1 ? '' : `:+${slot.span - 1}`;
  const lane = slot.broadcast === undefined ? '' : `:${slot.broadcast}`;
  return `$${slot.file}${slot.name}${group}${lane}${slot.mark ?? ''}`;
}

/** Text pattern of a form: `add $mDst0, $mSrc0, simm16`. */
export function formSyntax(form: Form): string {
  return [form.mnemonic, form.operands.map(slotSyntax).join(', ')].join(' ').trim();
}
