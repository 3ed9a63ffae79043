import { type List, Message, type Struct } from 'capnp-ts';
import { MultiSegmentArena } from 'capnp-ts/src/serialization/arena/index.js';
import { PackageError } from '../error.ts';

/** capnp-ts rounds sizes to words in 32-bit signed arithmetic. */
const MAXIMUM_BYTES = 2 ** 31 - 8;

/** Class of a root struct, as capnp-ts wants it. */
type RootClass<T extends Struct> = Parameters<typeof Message.initRoot<T>>[0];

/**
 * A message with one segment of exactly `words` words, so that readers with a segment limit accept it, no
 * far pointer is needed and building is linear in the size. (The arenas of capnp-ts either grow by copying,
 * or add segments of 4 KiB: a large package would have thousands, and readers accept 511.)
 * Throws PackageError when the message is too large.
 */
export function startMessage<T extends Struct>(
  root: RootClass<T>,
  words: number,
): { readonly message: Message; readonly root: T } {
  const bytes = words * 8;
  if (bytes > MAXIMUM_BYTES) {
    throw new PackageError(
      'invalid',
      `the message needs ${bytes} bytes, at most ${MAXIMUM_BYTES} can be written`,
      {
        verdict: 'compile-error',
        facts: { bytes, limit: MAXIMUM_BYTES },
        advice: 'Write fewer tiles, shorter data or a shorter profile.',
      },
    );
  }
  const message = new Message(new MultiSegmentArena([new ArrayBuffer(bytes)]));
  // The runtime counts pointers while building too; its limit is meant for reading untrusted messages.
  message._capnp.traversalLimit = Number.POSITIVE_INFINITY;
  return { message, root: message.initRoot(root) };
}

/** Fills a list of structs; an empty one stays a null pointer. */
export function fillStructs<T, S>(
  items: readonly T[],
  init: (length: number) => List<S>,
  write: (target: S, item: T) => void,
): void {
  if (items.length === 0) return;
  const list = init(items.length);
  for (let index = 0; index < items.length; index += 1) write(list.get(index), items[index]!);
}

/** Fills a list of 32-bit integers; an empty one stays a null pointer. */
export function fillNumbers(values: readonly number[], init: (length: number) => List<number>): void {
  if (values.length === 0) return;
  const list = init(values.length);
  for (let index = 0; index < values.length; index += 1) list.set(index, values[index]!);
}
