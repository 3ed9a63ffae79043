import { CHOICES, type EvidenceClass, RULES } from './choices.ts';
import { unmodelledForms } from './unmodelledForms.ts';

const CLASSES: Readonly<Record<EvidenceClass, string>> = {
  ISA: 'documented for the instruction set',
  HW: 'measured on hardware',
  SDK: "read off the vendor's tools or their sources",
  SW: 'convention of software that runs on hardware',
  GUESS: 'inferred or chosen',
};

const cell = (text: string) => text.replaceAll('|', '\\|');
const unconfirmed = (evidence: EvidenceClass) => (evidence === 'GUESS' ? 'yes' : '');
const hex = (value: number) => `0x${value.toString(16)}`;

/** docs/choices.md: every number and rule that the simulator assumes, and what it does not model. */
export function choicesPage(): string {
  const numbers = Object.entries(CHOICES).map(
    ([name, { value, unit, evidence, meaning }]) =>
      `| ${name} | ${unit === 'pattern' ? hex(value) : value} | ${unit} | ${evidence} | ${unconfirmed(evidence)} | ${cell(meaning)} |`,
  );
  const rules = RULES.map(
    ({ name, evidence, meaning }) =>
      `| ${name} | ${evidence} | ${unconfirmed(evidence)} | ${cell(meaning)} |`,
  );
  const forms = unmodelledForms();
  return [
    '# What the simulator assumes',
    '',
    'Numbers and rules on which published facts are silent or indirect. They live in `device/simulator/choices.ts`;',
    'a measurement on a card corrects them there and nowhere else. This page is written from that file:',
    '`BLESS=1 npx vitest run --project unit device/simulator/choices`.',
    '',
    '| Evidence | Meaning |',
    '| --- | --- |',
    ...Object.entries(CLASSES).map(([name, meaning]) => `| ${name} | ${meaning} |`),
    '',
    '## Numbers',
    '',
    '| Name | Value | Unit | Evidence | Unconfirmed on hardware | Meaning |',
    '| --- | --- | --- | --- | --- | --- |',
    ...numbers,
    '',
    '## Rules',
    '',
    '| Name | Evidence | Unconfirmed on hardware | Meaning |',
    '| --- | --- | --- | --- |',
    ...rules,
    '',
    '## Instruction forms without behaviour',
    '',
    'A program that meets one stops with `not modelled`.',
    '',
    forms.length === 0 ? 'None.' : forms.map((form) => `- \`${form}\``).join('\n'),
    '',
  ].join('\n');
}
