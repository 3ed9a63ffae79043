import type { RecordOutput, ResultRecord } from '../record/index.ts';
import { formatRatio } from '../record/index.ts';
import { heatMap } from '../run/heat-map.ts';
import type { CaseTrace } from '../run/index.ts';
import { describeIdentity } from './device.ts';
import { table } from './table.ts';

/** All that is known about one case, for people. */
export function reproText({ record, judgement }: CaseTrace): string {
  const parts: (string | undefined)[] = [
    record.case,
    record.device === undefined ? undefined : `device: ${describeIdentity(record.device)}`,
    inputsText(record),
    compileText(record),
    stagesText(record),
    deviceText(record),
    ...record.outputs.map((output) => {
      const judged = judgement?.outputs.find(({ tensor }) => tensor === output.tensor);
      const map = output.mismatches.length === 0 || judged === undefined ? undefined : heatMap(judged);
      return [outputText(output), map].filter((part) => part !== undefined).join('\n\n');
    }),
    failureText(record),
    `verdict: ${record.verdict}${record.reasons.map((reason) => `\n  ${reason}`).join('')}`,
  ];
  return parts.filter((part) => part !== undefined && part !== '').join('\n\n');
}

function inputsText({ inputs }: ResultRecord): string | undefined {
  if (inputs.length === 0) return undefined;
  const rows = inputs.map(({ name, dtype, shape, seed }) => [name, dtype, shape.join(' x '), seed ?? '-']);
  return `inputs\n${table(['tensor', 'type', 'shape', 'seed'], rows)}`;
}

function compileText({ compile, package: file }: ResultRecord): string | undefined {
  if (compile === undefined) return undefined;
  const { steps, memoryMap } = compile;
  const cell = (value: number | undefined) => value ?? '-';
  const stepRows = steps.map((step) => [
    step.name,
    step.kind,
    step.modelCycles,
    cell(step.horizon),
    cell(step.endpointBound),
    cell(step.transfers),
  ]);
  const mapRows = memoryMap.map(({ name, address, bytes, kind }) => [
    `0x${address.toString(16).padStart(5, '0')}`,
    bytes,
    kind,
    name,
  ]);
  const used = ((100 * compile.sramBytes) / compile.sramCapacity).toFixed(1);
  return [
    `plan: ${compile.plan}`,
    `tiles: ${compile.tilesActive} of ${compile.tilesRequested} requested; SRAM of the worst tile: ` +
      `${compile.sramBytes} of ${compile.sramCapacity} bytes (${used} %), code ${compile.codeBytes} bytes`,
    file === undefined ? '' : `package: ${file.bytes} bytes, sha256 ${file.sha256}`,
    '',
    table(['step', 'kind', 'model cycles', 'horizon', 'bound', 'transfers'], stepRows),
    '',
    table(['address', 'bytes', 'kind', 'buffer'], mapRows),
  ].join('\n');
}

function stagesText({ host }: ResultRecord): string {
  const rows = host.stages.map(({ name, milliseconds }) => [name, milliseconds.toFixed(2)]);
  const inside = Object.entries(host.compileStages ?? {}).map(([name, milliseconds]) => [
    `  compile: ${name}`,
    milliseconds.toFixed(2),
  ]);
  return `host times\n${table(['stage', 'ms'], [...rows, ...inside])}`;
}

function deviceText(record: ResultRecord): string | undefined {
  const { cycles, instructions, microseconds, tflops, compile, budget } = record;
  if (cycles === undefined) return undefined;
  const model = compile?.modelCycles;
  const parts = [
    `${cycles} cycles`,
    microseconds === undefined ? undefined : `${microseconds.toFixed(3)} us`,
    tflops === undefined ? undefined : `${tflops.toPrecision(4)} TFLOPS`,
    instructions === undefined ? undefined : `${instructions} instructions`,
    model === undefined ? undefined : `modelled ${model} cycles (${(cycles / model).toFixed(3)} times)`,
    budget === undefined ? undefined : `budget ${budget.limitCycles} (${budget.ratio.toFixed(4)} of it)`,
  ];
  return `call: ${parts.filter((part) => part !== undefined).join(', ')}`;
}

function outputText(output: RecordOutput): string {
  const { tensor, dtype, shape, metrics, model, exact, mismatches, patterns } = output;
  const lines = [`output ${tensor} ${dtype} ${shape.join(' x ')}: ${output.verdict}, bound model ${model}`];
  if (metrics !== undefined) {
    lines.push(
      `  ${metrics.mismatches} of ${metrics.compared} elements wrong, ${metrics.alarms} alarms; ` +
        `worst ${formatRatio(metrics.maxBoundRatio.value)} of the bound${exact ? ' (bit-exact)' : ''}, ` +
        `${metrics.maxUlp.value} steps, largest error ${metrics.maxAbsError.value}`,
      `  error rms ${metrics.rmsError.toExponential(2)}, mean ${metrics.meanSignedError.toExponential(2)}, ` +
        `outward ${metrics.meanOutwardError.toExponential(2)}; ` +
        `${(100 * metrics.discriminating).toFixed(1)} % of the elements would betray a zero`,
    );
  }
  for (const { kind, detail, stage } of patterns) lines.push(`  looks like ${kind}: ${detail} [${stage}]`);
  if (mismatches.length === 0) return lines.join('\n');
  const rows = mismatches.map((wrong) => [
    wrong.index.join(','),
    `${wrong.observed} (${wrong.observedCode})`,
    `${wrong.expected} (${wrong.expectedCode})`,
    wrong.error.toExponential(2),
    wrong.bound.toExponential(2),
    wrong.ulps,
    wrong.place === undefined ? '-' : wrong.place.tile,
    wrong.place === undefined ? '-' : `0x${wrong.place.address.toString(16)}`,
    wrong.origin ?? '',
  ]);
  const heading = ['index', 'observed', 'expected', 'error', 'bound', 'steps', 'tile', 'address', 'origin'];
  return [...lines, '', table(heading, rows)].join('\n');
}

function failureText({ failure }: ResultRecord): string | undefined {
  if (failure === undefined) return undefined;
  const facts = Object.entries(failure.facts).map(([key, value]) => `${key} ${value}`);
  return [
    `${failure.name} in ${failure.stage}${failure.tile === undefined ? '' : `, tile ${failure.tile}`}`,
    ...(facts.length === 0 ? [] : [`  ${facts.join(', ')}`]),
    `  ${failure.advice}`,
    ...(failure.stack === undefined ? [] : [failure.stack]),
  ].join('\n');
}
