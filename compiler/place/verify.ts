import { LOADER_END, REGION1_BASE } from '../../device/ipu21/index.ts';
import { VerifierError } from '../errors.ts';
import type { LoweredProgram } from '../lower/stages.ts';
import { liveTogether, type Placement, shareElement, sizeOf } from './place.ts';

/** Rules a placement must meet: range, alignment, memory class, no live overlap, separations kept. */
export function verifyPlacement(program: LoweredProgram, placement: Placement): void {
  const buffers = [...placement.buffers.values()];
  for (const buffer of buffers) {
    const facts = { buffer: buffer.name, address: buffer.address, bytes: sizeOf(buffer) };
    const fail = (rule: string) => {
      throw new VerifierError('place', rule, facts);
    };
    if (buffer.address % 32 !== 0) fail('address not a multiple of 32');
    if (buffer.address < placement.dataStart || buffer.address + sizeOf(buffer) > LOADER_END)
      fail('outside the data memory');
    if (buffer.memory === 'interleaved' && buffer.address < REGION1_BASE)
      fail('needs 128-bit access but lies in region 0');
    for (const other of buffers) {
      if (other.name <= buffer.name || !liveTogether(buffer, other)) continue;
      const overlap =
        buffer.address < other.address + sizeOf(other) && other.address < buffer.address + sizeOf(buffer);
      if (overlap) fail(`overlaps ${other.name} while both are alive`);
    }
  }
  for (const { a, b, reason } of program.separations) {
    const x = placement.buffers.get(a);
    const y = placement.buffers.get(b);
    if (x === undefined || y === undefined) throw new VerifierError('place', 'buffer not placed', { a, b });
    if (shareElement(x.address, sizeOf(x), y.address, sizeOf(y)))
      throw new VerifierError('place', `share an element although ${reason}`, { a, b });
  }
}
