import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { CHOICES, RULES } from './choices.ts';
import { choicesPage } from './choicesPage.ts';

const PAGE = new URL('../../docs/choices.md', import.meta.url);

it('docs/choices.md states what the model assumes; BLESS=1 writes it', () => {
  if (process.env['BLESS'] === '1') writeFileSync(PAGE, choicesPage());
  expect(
    readFileSync(PAGE, 'utf8'),
    'regenerate with BLESS=1 npx vitest run --project unit device/simulator/choices',
  ).toBe(choicesPage());
});

it('names are unique and every entry says what it means', () => {
  const names = [...Object.keys(CHOICES), ...RULES.map((rule) => rule.name)];
  expect(new Set(names).size).toBe(names.length);
  for (const { meaning } of [...Object.values(CHOICES), ...RULES]) expect(meaning).toMatch(/^\S.*[.]$/);
});
