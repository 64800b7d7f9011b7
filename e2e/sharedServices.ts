import { expect } from '@playwright/test';
import type { FaceplateProcess, FaceplateProcessOptions } from '../server/testing/faceplateProcess.ts';
import { kioskService } from './kioskService.ts';
import { PanelReset } from './panelReset.ts';

interface Shared {
  readonly service: FaceplateProcess;
  readonly reset: PanelReset;
  /** The spec whose tests use it; null: those of every spec. */
  readonly file: string | null;
  /** Whether the test that runs now has it. */
  isUsed: boolean;
}

/** Services that several tests use, one after the other: each is as it was at its start when the next test gets it. */
export class SharedServices {
  readonly #shared = new Map<string, Shared>();

  /**
   * A service with these options, started for the first test that asks for it.
   * @param file the spec with whose last test it ends; null: with the last of the worker
   */
  async get(options: FaceplateProcessOptions, file: string | null): Promise<FaceplateProcess> {
    const key = JSON.stringify([file, options]);
    const found = this.#shared.get(key);
    if (found !== undefined) {
      found.isUsed = true;
      return found.service;
    }
    const service = kioskService(options);
    try {
      await service.start();
      this.#shared.set(key, { service, reset: await PanelReset.of(service), file, isUsed: true });
    } catch (error) {
      await service.stop();
      throw error;
    }
    return service;
  }

  /** Takes back what the test has done that ends now. What is not as it was ends; the next test starts another. */
  async reset(): Promise<void> {
    for (const [key, shared] of this.#shared) {
      if (!shared.isUsed) continue;
      shared.isUsed = false;
      // A service that does not answer has ended, or is about to: its end says why.
      const left = await shared.reset.run().catch(String);
      if (left === '') continue;
      process.stderr.write(`\na panel is started anew, because the test left: ${left}\n`);
      await this.#end(key, shared);
    }
  }

  async end(): Promise<void> {
    for (const [key, shared] of this.#shared) await this.#end(key, shared);
  }

  /** A test of this spec begins: what the specs before it shared ends. */
  async begin(file: string): Promise<void> {
    for (const [key, shared] of this.#shared)
      if (shared.file !== null && shared.file !== file) await this.#end(key, shared);
  }

  async #end(key: string, { service }: Shared): Promise<void> {
    this.#shared.delete(key);
    expectCleanEnd(await service.stop(), service);
  }
}

/** A service ends with status 0 and leaves no process. */
export function expectCleanEnd(
  { code, signal, left }: Awaited<ReturnType<FaceplateProcess['stop']>>,
  service: FaceplateProcess,
): void {
  expect({ code, signal, left }, service.output).toEqual({ code: 0, signal: null, left: [] });
}
