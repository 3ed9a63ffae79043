// Host thread of the simulator: runs tiles handed out through a shared counter. Plain JavaScript, because
// the same file serves the sources and the build.
import { workerData } from 'node:worker_threads';

const { memory, module, setup, control, limitOffset, generation } = workerData;
const engine = new WebAssembly.Instance(module, { env: { memory } }).exports;
engine.setup(...setup);

let words = new Int32Array(memory.buffer);
let view = new DataView(memory.buffer);
let seen = generation;
for (;;) {
  Atomics.wait(words, control.generation, seen);
  seen = Atomics.load(words, control.generation);
  if (Atomics.load(words, control.count) < 0) break;
  // The memory may have grown since the last turn.
  words = new Int32Array(memory.buffer);
  view = new DataView(memory.buffer);
  const limit = view.getBigUint64(limitOffset, true);
  for (;;) {
    const index = Atomics.add(words, control.next, 1);
    if (index >= Atomics.load(words, control.count)) break;
    engine.run(words[control.list + index], limit);
  }
  Atomics.add(words, control.idle, 1);
  Atomics.notify(words, control.idle);
}
