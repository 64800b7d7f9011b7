import type { ChromiumHostOptions } from '../../chromium/chromiumHostOptions.ts';
import type { TestKiosk } from '../testKiosk.ts';

/** Opens a kiosk in the host under test, on `path` of http://p1.localhost, whose origin holds the bridge. */
export type OpenKiosk = (
  path: string,
  pages: Record<string, string>,
  options?: Partial<
    Pick<
      ChromiumHostOptions,
      | 'clock'
      | 'limits'
      | 'fakeMedia'
      | 'certificates'
      | 'pageExtras'
      | 'onDialog'
      | 'onField'
      | 'onSettingsCall'
    >
  >,
) => Promise<TestKiosk>;

/** As OpenKiosk, with the options of all that share it; camera and microphone are the browser's own fakes. */
export type LendKiosk = (path: string, pages: Record<string, string>) => Promise<TestKiosk>;
