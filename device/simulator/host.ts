import { type EngineExports, engineModule, instantiate, TABLES, WASM_PAGE } from './engine.ts';
import { ThreadPool } from './threadPool.ts';

/** Pages a memory may grow to: the whole 32-bit address space, enough for 1472 tiles. */
const MAXIMUM_PAGES = 65_536;

/**
 * A shared memory with its engine and host threads. Building the number tables and mapping memory costs
 * more than running a small case, so hosts are kept and handed from package to package.
 */
export class EngineHost {
  readonly memory: WebAssembly.Memory;
  readonly engine: EngineExports;
  #pool: ThreadPool | undefined;

  private constructor() {
    this.memory = new WebAssembly.Memory({
      initial: Math.ceil(TABLES.end / WASM_PAGE) + 1,
      maximum: MAXIMUM_PAGES,
      shared: true,
    });
    this.engine = instantiate(this.memory, engineModule(), 0);
  }

  static readonly #idle: EngineHost[] = [];

  /** A host with at least `bytes` of memory. Throws RangeError when the machine has too little. */
  static acquire(bytes: number): EngineHost {
    const host = EngineHost.#idle.pop() ?? new EngineHost();
    const missing = Math.ceil((bytes - host.memory.buffer.byteLength) / WASM_PAGE);
    if (missing > 0) host.memory.grow(missing);
    return host;
  }

  /** Gives the host back for the next package. */
  release(): void {
    EngineHost.#idle.push(this);
  }

  /** Threads beside the caller, at least `count`. */
  threads(count: number): ThreadPool {
    this.#pool ??= new ThreadPool(this.memory);
    this.#pool.grow(count);
    return this.#pool;
  }
}
