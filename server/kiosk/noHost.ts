import { FaceplateError } from '../contract/errors.ts';
import type { KioskHost } from './host.ts';

/** `host=none`: only the API runs, no page is shown. */
export class NoHost implements KioskHost {
  readonly kind = 'none';

  async start(): Promise<void> {}
  async stop(): Promise<void> {}
  async navigate(): Promise<void> {}

  async reload(): Promise<void> {
    throw noWindow();
  }

  async bringToFront(): Promise<void> {}
  async sleep(): Promise<void> {}
  async wake(): Promise<void> {}

  async openBuiltIn(): Promise<never> {
    throw noWindow();
  }

  async openLayer(): Promise<never> {
    throw noWindow();
  }

  async pressKey(): Promise<void> {}
  async makeRoom(): Promise<void> {}

  screenSize(): never {
    throw noWindow();
  }

  async zoom(): Promise<never> {
    throw noWindow();
  }

  async turn(): Promise<boolean> {
    return false;
  }

  async clearStorage(): Promise<void> {
    throw noWindow();
  }

  async screenshot(): Promise<Uint8Array> {
    throw noWindow();
  }

  watch(): never {
    throw noWindow();
  }

  async evaluate(): Promise<never> {
    throw noWindow();
  }

  async clearCaches(): Promise<void> {
    throw noWindow();
  }

  recoveries(): Readonly<Record<string, number>> {
    return {};
  }

  pageState(): never {
    throw noWindow();
  }

  pageConsole(): never {
    throw noWindow();
  }
}

function noWindow(): FaceplateError {
  return new FaceplateError('UNSUPPORTED_HARDWARE', 'There is no kiosk window: the service shows no page.');
}
