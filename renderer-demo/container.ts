import type { Container, GpioActions, GpioResults } from '../preload/container.d.ts';

/** The panel. main.ts starts the cards only if it exists. */
export const container = window.container as Container;

/**
 * Sends one action to the panel and waits for its answer.
 * @example await ask({ action: 'write', pin: 2, level: 1 })
 * @throws Error with a `code` such as HARDWARE_ERROR.
 */
export async function ask<A extends keyof GpioActions>(
  message: { action: A } & GpioActions[A],
): Promise<GpioResults[A]> {
  return (await container.gpioBridge.postMessage(JSON.stringify(message))) as GpioResults[A];
}
