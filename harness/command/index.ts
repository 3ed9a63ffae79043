export type { House, ReportOptions, Terminal } from './house.ts';
export { main } from './main.ts';
