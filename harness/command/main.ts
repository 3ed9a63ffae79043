import { CommanderError } from 'commander';
import { UsageError } from '../case/usage-error.ts';
import { messageOf, RunError, SchemaError } from '../record/errors.ts';
import { EXIT } from '../record/exit-codes.ts';
import { isCaseFailure } from '../run/failure.ts';
import type { House } from './house.ts';
import { buildProgram } from './program.ts';

/** The exit code and, for people, why. */
interface Ending {
  readonly code: number;
  readonly lines: readonly string[];
}

/**
 * The command line. Resolves to the exit code; prints every error as one line and a hint, on standard error.
 * `args` are without the interpreter and the script.
 */
export async function main(args: readonly string[], house: House): Promise<number> {
  let code: number = EXIT.good;
  // A reader that stops reading, as in `list | head`, is no error.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(code);
    throw error;
  });
  try {
    const program = buildProgram(house, (ending) => {
      code = ending;
    });
    await program.parseAsync([...args], { from: 'user' });
  } catch (error) {
    const ending = endingOf(error);
    for (const line of ending.lines) process.stderr.write(`${line}\n`);
    code = ending.code;
  }
  return code;
}

function endingOf(error: unknown): Ending {
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return { code: EXIT.good, lines: [] };
    // No command was given: the help has been printed.
    if (error.code === 'commander.help') return { code: EXIT.usage, lines: [] };
    const message = error.message.replace(/^error: /, '').replaceAll('\n', ' ');
    return {
      code: EXIT.usage,
      lines: [`ipu-verify: ${message}`, 'hint: ipu-verify --help, or ipu-verify <command> --help'],
    };
  }
  if (error instanceof UsageError) {
    return { code: EXIT.usage, lines: [`ipu-verify: ${error.message}`, `hint: allowed: ${error.allowed}`] };
  }
  if (error instanceof RunError) {
    return { code: error.exitCode, lines: [`ipu-verify: ${error.message}`, `hint: ${error.advice}`] };
  }
  if (error instanceof SchemaError) {
    return {
      code: EXIT.infrastructure,
      lines: [`ipu-verify: ${error.message}`, 'hint: the file was edited or is of another version'],
    };
  }
  if (isCaseFailure(error)) {
    return { code: EXIT.infrastructure, lines: [`ipu-verify: ${error.message}`, `hint: ${error.advice}`] };
  }
  const stack = error instanceof Error && error.stack !== undefined ? error.stack : messageOf(error);
  return { code: EXIT.infrastructure, lines: [`ipu-verify: nobody foresaw this error: ${stack}`] };
}
