import { aux, main } from './form.ts';
import { dst, entry, presumed, src0, vertexBase, zimm } from './slot.ts';

/** Control and status registers, launching workers, barriers, traps. */
const SUPERVISOR = { mode: 'supervisor', solo: true } as const;
const LAUNCH = [entry.m(20), vertexBase.m(12), presumed(zimm(16, [0, 12], [16, 4]))];

export const SYSTEM = [
  // CSR access. uget and uput reach the upper half: operand = index - 256. The assembler writes get and put.
  main('get.mz8', 0x41000000, [dst.m(16), zimm(8)]),
  main('put.z8m', 0x43008000, [zimm(8), src0.m(20)]),
  aux('uget.az8', 0x51000800, [dst.a(16), presumed(zimm(8))]),
  aux('uput.z8a', 0x51008000, [presumed(zimm(8)), src0.a(20)]),
  // Launch. The immediate counts words between the vertex bases of neighbouring workers; its split is a guess,
  // only 0 was recorded.
  main('run.mmz16', 0x14000000, LAUNCH, { ...SUPERVISOR, unit: 4 }),
  main('runall.mmz16', 0x15000000, LAUNCH, { ...SUPERVISOR, unit: 4 }),
  // Barriers and traps.
  main('sync.z4', 0x41800000, [zimm(4)], SUPERVISOR),
  main('sans.z19', 0x40c00000, [presumed(zimm(19))], SUPERVISOR),
  main('trap.z4', 0x41801000, [zimm(4)], { solo: true }),
] as const;
