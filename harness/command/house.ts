import type { RunListener } from '../record/index.ts';

/** What the reports of one run need to know. */
export interface ReportOptions {
  /** Where runs are kept; history between runs lives here. */
  readonly out: string;
  readonly allure: boolean;
  /** Reports of a run that was reported before: trends must not count it twice. */
  readonly again?: boolean;
  /** Where people read along; undefined when a program reads. */
  readonly console?: Terminal;
}

/** Where text goes. */
export interface Terminal {
  readonly write: (text: string) => void;
  /** Whether lines may be redrawn and coloured. */
  readonly interactive: boolean;
}

/** What the command line is built of besides the harness. Parts load when they are first needed. */
export interface House {
  /** Module that exports a `composition`; worker processes load it too. */
  readonly compositionUrl: string;
  loadReports(options: ReportOptions): Promise<readonly RunListener[]>;
  loadWorkbench(): Promise<Workbench>;
}

/** What a command of the workbench has to say. */
export interface Answer {
  readonly text: string;
  /** The same for programs. */
  readonly json: unknown;
  readonly exitCode: number;
}

export interface AsmRequest {
  readonly file: string;
  readonly defines: readonly string[];
  readonly include: readonly string[];
  /** Where the ELF object goes; undefined when nobody wants it. */
  readonly output?: string;
}

export interface KernelRequest {
  readonly spec: string;
  /** Sizes of one case, `n=17,m=3`; undefined draws them. */
  readonly case?: string;
  readonly cases?: number;
  readonly seed?: number;
  /** Print the issues of every turn. */
  readonly timeline?: boolean;
  /** Where a drawing of them goes. */
  readonly picture?: string;
  readonly onCase?: (done: number) => void;
}

export interface DisasmRequest {
  /** A package or an ELF object. */
  readonly file: string;
  readonly tile: number;
  /** `tile` is a physical number. */
  readonly physical?: boolean;
}

/** Tools for authors of kernels. Each throws a UsageError for a request that cannot be met. */
export interface Workbench {
  assemble(request: AsmRequest): Promise<Answer>;
  kernel(request: KernelRequest): Promise<Answer>;
  disassemble(request: DisasmRequest): Promise<Answer>;
}
