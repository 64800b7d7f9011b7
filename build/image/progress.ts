/** Shows the steps of a long command: what runs, and the seconds it took. To standard error. */
export async function step<T>(title: string, work: () => Promise<T>): Promise<T> {
  const started = performance.now();
  const seconds = () => `${Math.round((performance.now() - started) / 1000)} s`;
  const terminal = process.stderr.isTTY;
  if (!terminal) process.stderr.write(`${title} ...\n`);
  const show = () => process.stderr.write(`\r${title} ... ${seconds()}`);
  if (terminal) show();
  const timer = terminal ? setInterval(show, 1000) : undefined;
  try {
    const result = await work();
    process.stderr.write(terminal ? `\r${title}: ${seconds()}    \n` : `${title}: ${seconds()}\n`);
    return result;
  } catch (error) {
    process.stderr.write(`${terminal ? '\n' : ''}${title}: failed after ${seconds()}\n`);
    throw error;
  } finally {
    clearInterval(timer);
  }
}
