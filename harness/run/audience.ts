import { messageOf, type RunListener, type RunView } from '../record/index.ts';

/** A listener's file, or why there is none. */
export interface Written {
  readonly listener: string;
  readonly path: string;
}

/** Calls listeners and survives them: what one throws is told to `warn` and changes nothing else. */
export class Audience {
  readonly #listeners: readonly RunListener[];
  readonly #warn: (text: string) => void;

  constructor(listeners: readonly RunListener[], warn: (text: string) => void) {
    this.#listeners = listeners;
    this.#warn = warn;
  }

  tell(what: (listener: RunListener) => void): void {
    for (const listener of this.#listeners) {
      try {
        what(listener);
      } catch (error) {
        this.#warn(`report ${listener.name}: ${messageOf(error)}`);
      }
    }
  }

  /** Lets every listener write what it writes, in order. */
  async end(run: RunView): Promise<readonly Written[]> {
    const written: Written[] = [];
    for (const listener of this.#listeners) {
      try {
        const path = await listener.onEnd?.(run);
        if (path !== undefined) written.push({ listener: listener.name, path });
      } catch (error) {
        this.#warn(`report ${listener.name}: ${messageOf(error)}`);
      }
    }
    return written;
  }
}
