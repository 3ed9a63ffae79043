import { createHash } from 'node:crypto';
import { judgeCase } from '../judge/index.ts';
import type { CompiledCase, DevicePort, Operation } from '../ports.ts';
import type { ResultRecord } from '../record/index.ts';
import { failureFinding } from './failure.ts';
import { type CaseOptions, type Evidence, type Finding, makeRecord } from './make-record.ts';
import { StageClock } from './stage-clock.ts';

/** Entry point of a package that runs the case. */
const ENTRY_POINT = 'run';

/** A record and, as far as the case got, everything it was made from. */
export interface CaseTrace extends Readonly<Evidence> {
  readonly record: ResultRecord;
}

/**
 * Runs one case from its line to its record. Never throws: whatever a stage throws becomes a verdict. The device
 * stays open and keeps nothing the next case depends on, because every case loads its own package.
 */
export async function executeCase(
  line: string,
  operation: Operation,
  device: DevicePort,
  options: CaseOptions,
): Promise<CaseTrace> {
  const clock = new StageClock();
  const evidence: Evidence = {};
  const known = options.known.get(line);
  let ended: Finding | undefined;
  if (known?.expect === 'skip') {
    const reason = `known failure, not tried: ${known.why} (${known.owner}, until ${known.expires})`;
    ended = { verdict: 'skipped', reasons: [reason] };
  } else {
    try {
      await liveThrough(line, operation, device, options, clock, evidence);
    } catch (error) {
      ended = failureFinding(error, clock.current);
    }
  }
  const record = makeRecord(line, operation.name, device.identity(), options, clock, evidence, ended);
  return { ...evidence, record };
}

/** The record alone. */
export async function runCase(
  line: string,
  operation: Operation,
  device: DevicePort,
  options: CaseOptions,
): Promise<ResultRecord> {
  return (await executeCase(line, operation, device, options)).record;
}

async function liveThrough(
  line: string,
  operation: Operation,
  device: DevicePort,
  options: CaseOptions,
  clock: StageClock,
  evidence: Evidence,
): Promise<void> {
  const prepared = await clock.run('prepare', () => operation.prepare(line));
  evidence.prepared = prepared;
  const compiled = await clock.run('compile', () => prepared.compile());
  evidence.compiled = compiled;
  const bytes = await clock.run('package', () => packageFor(compiled, options));
  const packed = await clock.run('pack', () => compiled.pack(prepared.inputs));
  evidence.packed = packed;
  await clock.run('load', () => device.load(bytes));
  const outcome = await clock.run('call', () => device.call(ENTRY_POINT, packed));
  evidence.outcome = outcome;
  const outputs = await clock.run('unpack', () => compiled.unpack(outcome.outputs));
  evidence.outputs = outputs;
  const references = await clock.run('reference', () => prepared.reference(compiled));
  evidence.references = references;
  evidence.judgement = await clock.run('judge', () =>
    judgeCase(references, outputs, {
      canaries: options.canaries,
      locate: (tensor, index) => compiled.locate(tensor, index),
    }),
  );
}

/** The device loads exactly the bytes the digest in the record is of. */
function packageFor(compiled: CompiledCase, options: CaseOptions): Uint8Array {
  const bytes = options.packageStage?.(compiled.packageBytes) ?? compiled.packageBytes;
  const digest = createHash('sha256').update(bytes).digest('hex');
  if (digest !== compiled.digest) {
    throw new Error(
      `package bytes hash to ${digest}, the compiler said ${compiled.digest}; one of them is of another package`,
    );
  }
  return bytes;
}
