import type { Device } from '../../device/device.ts';
import { SimulatedIpu21 } from '../../device/simulator/index.ts';
import { judgeCase } from '../../harness/judge/index.ts';
import type { CaseFailure } from '../../harness/ports.ts';
import { judgeOutcome, SIMULATOR_CANARIES } from '../attempt.ts';
import { gemm } from '../gemm/operation.ts';
import type { Patient, Plant, PlantedDefect, Sighting, Trial } from './defect.ts';
import { Surgery } from './surgery.ts';

/** What became of a planted defect over all its trials. */
export interface DefectOutcome {
  readonly name: string;
  /** Every trial ended with another verdict than `passed`. */
  readonly caught: boolean;
  /** Distinct verdicts in trial order, joined by ` / `. */
  readonly verdict: string;
  /** Every trial's report names the place; undefined where the catalogue promises no place. */
  readonly localised: boolean | undefined;
  /** Who noticed, in trial order: `judge`, or the stage of the error. */
  readonly by: string;
  readonly sightings: readonly Sighting[];
}

/** Cycles after which a trial counts as hung; sound trials take a few thousand. */
const CYCLE_LIMIT = 1_000_000;

/** Plants a defect in each of its cases and runs them on a device, the simulator unless told. */
export async function runPlantedDefect(defect: PlantedDefect, device?: Device): Promise<DefectOutcome> {
  const used = device ?? new SimulatedIpu21({ cycleLimit: CYCLE_LIMIT });
  const sightings: Sighting[] = [];
  for (const trial of defect.trials) sightings.push(await runTrial(trial, defect.plant, used));
  if (device === undefined) await used.close();
  const distinct = (texts: readonly string[]) => [...new Set(texts)].join(' / ');
  const { location } = defect;
  return {
    name: defect.name,
    caught: sightings.every(({ verdict }) => verdict !== 'passed'),
    verdict: distinct(sightings.map(({ verdict }) => verdict)),
    localised: location && sightings.every((sighting, at) => location.found(sighting, defect.trials[at])),
    by: distinct(sightings.map(({ failure }) => (failure === undefined ? 'judge' : failure.stage))),
    sightings,
  };
}

/** Runs a sound case, or with a plant a damaged one. Errors that carry no verdict are ours and are thrown. */
export async function runTrial(trial: Trial, plant: Plant | undefined, device: Device): Promise<Sighting> {
  const prepared = gemm.prepare(trial.line);
  const patient: Patient = { ...trial, prepared, compiled: prepared.compile() };
  const { line } = trial;
  const files = new Map(patient.compiled.pack(prepared.inputs));
  if (plant?.at === 'inputs') plant.change(files, patient);
  const bytes = packageOf(patient, plant);
  try {
    await device.load(bytes);
    if (plant?.at === 'memory') plant.strike(device, new Surgery(bytes), patient);
    const called = plant?.at === 'earlier call' ? earlierInputs(patient) : files;
    const outcome = await device.call('run', called);
    if (plant?.at !== 'tensor' && plant?.at !== 'outputs') {
      const judgement = judgeOutcome(prepared, patient.compiled, outcome);
      return { line, verdict: judgement.verdict, judgement };
    }
    const outputs = new Map(outcome.outputs);
    if (plant.at === 'outputs') {
      const changed = outputs.get('c')!.slice();
      plant.change(changed, patient);
      outputs.set('c', changed);
    }
    const unpacked = patient.compiled.unpack(outputs);
    if (plant.at === 'tensor') {
      for (const { tensor } of unpacked) plant.change(tensor.data as Uint16Array, tensor.shape[1], patient);
    }
    const judgement = judgeCase(prepared.reference(patient.compiled), unpacked, {
      canaries: SIMULATOR_CANARIES,
      locate: (tensor, index) => patient.compiled.locate(tensor, index),
    });
    return { line, verdict: judgement.verdict, judgement };
  } catch (error) {
    const failure = error as CaseFailure;
    if (typeof failure.verdict !== 'string') throw error;
    return { line, verdict: failure.verdict, failure };
  }
}

function packageOf({ compiled, ...patient }: Patient, plant: Plant | undefined): Uint8Array {
  if (plant?.at === 'file') return plant.damage(compiled.packageBytes);
  if (plant?.at !== 'images') return compiled.packageBytes;
  const surgery = new Surgery(compiled.packageBytes);
  plant.patch(surgery, { ...patient, compiled });
  return surgery.bytes();
}

/** The packed inputs of the same case with another seed. */
function earlierInputs({ line, compiled }: Patient): ReadonlyMap<string, Uint8Array> {
  return compiled.pack(gemm.prepare(`${line},seed=1`).inputs);
}
