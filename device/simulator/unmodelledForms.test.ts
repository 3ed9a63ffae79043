import { expect, it } from 'vitest';
import { FORMS } from '../ipu21/index.ts';
import { unmodelledForms } from './index.ts';

it('every form without behaviour is known by name', () => {
  expect(unmodelledForms()).toEqual(['f32sisoslic.a2aa2e6']);
  expect(FORMS.length).toBeGreaterThan(300);
});

it('the list does not depend on what ran before', () => {
  expect(unmodelledForms()).toEqual(unmodelledForms());
});
