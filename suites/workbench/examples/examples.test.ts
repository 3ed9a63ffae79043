import { kernelSuite } from '../kernelSuite.ts';

kernelSuite(new URL('./scale_f16.json', import.meta.url));
kernelSuite(new URL('./row_sum_f32.json', import.meta.url));
