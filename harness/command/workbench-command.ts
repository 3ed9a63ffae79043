import type { Answer, AsmRequest, DisasmRequest, House, KernelRequest, Workbench } from './house.ts';

export interface AsmFlags extends Pick<AsmRequest, 'include' | 'output'> {
  readonly define: readonly string[];
  readonly json?: boolean;
}

export interface KernelFlags extends Omit<KernelRequest, 'spec' | 'onCase'> {
  readonly json?: boolean;
}

export interface DisasmFlags extends Omit<DisasmRequest, 'file'> {
  readonly json?: boolean;
}

/** Asks the workbench, prints its answer and gives the exit code. What went wrong goes to standard error. */
export async function answer(
  house: House,
  ask: (workbench: Workbench) => Promise<Answer>,
  json = false,
): Promise<number> {
  const { text, json: data, exitCode } = await ask(await house.loadWorkbench());
  const stream = exitCode === 0 || json ? process.stdout : process.stderr;
  stream.write(json ? `${JSON.stringify(data)}\n` : `${text}\n`);
  return exitCode;
}
