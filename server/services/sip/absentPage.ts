import type { IntercomPage } from './driver.ts';

/** The intercom page of a panel without a browser: calls have no sound, and nothing is answered without a touch. */
export class AbsentPage implements IntercomPage {
  onReset: () => void = () => {};

  connect(): Promise<string> {
    return Promise.reject(new Error('there is no browser'));
  }

  async close(): Promise<void> {}

  play(): Promise<void> {
    return Promise.reject(new Error('there is no browser'));
  }

  async setVolume(): Promise<void> {}
}
