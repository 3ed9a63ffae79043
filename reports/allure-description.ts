import type { ResultRecord } from '../harness/record/index.ts';
import { figuresOf } from './figures.ts';

/** A record as Markdown: verdict, figures, patterns, plan and steps. */
export function describeRecord(record: ResultRecord): string {
  const { compile } = record;
  const parts = [
    `**${record.verdict}**${record.reasons.map((reason) => `\n\n- ${reason}`).join('')}`,
    tableOf(['figure', 'value'], figuresOf(record)),
    ...record.outputs.map(({ tensor, dtype, shape, model, exact, patterns }) =>
      [
        `\`${tensor}\` ${dtype} ${shape.join(' x ')}, bound: ${model}${exact ? ' (bit-exact)' : ''}`,
        ...patterns.map(({ kind, detail, stage }) => `- looks like **${kind}**: ${detail} _(${stage})_`),
      ].join('\n\n'),
    ),
  ];
  if (compile !== undefined) {
    parts.push(
      `plan: \`${compile.plan}\``,
      tableOf(
        ['step', 'kind', 'model cycles', 'horizon', 'endpoint bound', 'transfers'],
        compile.steps.map((step) => [
          step.name,
          step.kind,
          String(step.modelCycles),
          String(step.horizon ?? ''),
          String(step.endpointBound ?? ''),
          String(step.transfers ?? ''),
        ]),
      ),
    );
  }
  if (record.package !== undefined) parts.push(`package sha256 \`${record.package.sha256}\``);
  parts.push(`\`${record.repro}\``);
  return parts.join('\n\n');
}

function tableOf(heading: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((text) => text.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(heading), line(heading.map(() => '---')), ...rows.map(line)].join('\n');
}
