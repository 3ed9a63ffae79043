/** Turns SIGINT and SIGTERM into an abort signal until `stop` is called. */
export function onInterrupt(): { readonly signal: AbortSignal; stop(): void } {
  const controller = new AbortController();
  const listener = () => {
    if (!controller.signal.aborted) {
      process.stderr.write('\nipu-verify: interrupted; running cases are stopped and results kept\n');
    }
    controller.abort();
  };
  process.on('SIGINT', listener);
  process.on('SIGTERM', listener);
  return {
    signal: controller.signal,
    stop() {
      process.off('SIGINT', listener);
      process.off('SIGTERM', listener);
    },
  };
}
