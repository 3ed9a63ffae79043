// Host thread of the simulator: runs tiles handed out through a shared counter. Plain JavaScript, because
// the same file serves the sources and the build.
import { workerData } from 'node:worker_threads';

const { memory, module, setup, index: own, control, limitOffset, generation, crashed } = workerData;
const engine = new WebAssembly.Instance(module, { env: { memory } }).exports;
engine.setup(...setup);

const signals = new Int32Array(memory.buffer);
let seen = generation;
for (;;) {
  Atomics.wait(signals, control.generation, seen);
  seen = Atomics.load(signals, control.generation);
  if (own >= Atomics.load(signals, control.active)) continue;
  // The memory may have grown since the last turn.
  const words = new Int32Array(memory.buffer);
  const view = new DataView(memory.buffer);
  for (;;) {
    const index = Atomics.sub(words, control.left, 1) - 1;
    if (index < 0) break;
    const tile = words[control.list + index];
    try {
      engine.run(tile, view.getBigUint64(limitOffset, true));
    } catch {
      words[(tile + crashed.offset) / 4] = crashed.status;
    }
    Atomics.add(words, control.done, 1);
    Atomics.notify(words, control.done);
  }
}
