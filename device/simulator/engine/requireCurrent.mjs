// Global set-up of the tests: an engine binary older than its sources would be tested in their place.
import { isCurrent } from './fingerprint.mjs';

export default function requireCurrentEngine() {
  if (!isCurrent())
    throw new Error('build/engine/engine.wasm was not built from these sources; run: npm run build');
}
