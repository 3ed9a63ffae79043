import { expect, it } from 'vitest';
import { FORMS } from '../ipu21/index.ts';
import { unmodelledForms } from './index.ts';

it('every form has behaviour', () => {
  expect(unmodelledForms()).toEqual([]);
  expect(FORMS.length).toBeGreaterThan(300);
});

it('the list does not depend on what ran before', () => {
  expect(unmodelledForms()).toEqual(unmodelledForms());
});
