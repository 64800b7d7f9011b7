import type { Settings } from './config/settings.ts';
import type { KioskHost } from './host/host.ts';
import type { KioskAddresses } from './kioskAddresses.ts';
import type { Logger } from './observe/log.ts';
import { homeSettings } from './services/kiosk/homeAddress.ts';
import type { ProjectScreen } from './services/projects/driver.ts';
import type { Display } from './services/rtc/driver.ts';

interface ScreenNeeds {
  /** The kiosk's window, once it is made. */
  readonly host: () => KioskHost | undefined;
  /** As they are now. */
  readonly settings: () => Settings;
  readonly addresses: () => Pick<KioskAddresses, 'home' | 'originOf'>;
  /** A sleeping panel is touched. */
  readonly onTouch: () => void;
  readonly log: Logger;
}

/** What the parts of the service do on the screen of the kiosk. */
export interface KioskScreen {
  /** For the schedule of sleep. */
  readonly display: Display;
  /** For the projects. */
  readonly projects: ProjectScreen;
  /** Puts the kiosk above a window that is left behind. */
  bringToFront(): void;
  /** Shows what these changed settings ask for. */
  follow(changed: readonly string[]): void;
}

/** The screen for those who are there before the window is: until then they change nothing, and caches cannot be cleared. */
export function kioskScreen({ host, settings, addresses, onTouch, log }: ScreenNeeds): KioskScreen {
  const warn = (what: string) => (error: unknown) => log.warn({ err: error }, what);
  return {
    display: {
      sleep: async () => host()?.sleep(onTouch),
      wake: async () => host()?.wake(),
    },
    projects: {
      show: async () => {
        if (settings()['kiosk.url'] === '') await host()?.navigate(addresses().home());
      },
      clearCaches: async (id) => {
        const kiosk = host();
        if (kiosk === undefined) throw new Error('The kiosk is not open yet.');
        await kiosk.clearCaches(addresses().originOf(id));
      },
    },
    bringToFront: () => void host()?.bringToFront().catch(warn('kiosk not in front')),
    follow: (changed) => {
      const act = changed.some((key) => homeSettings.includes(key))
        ? host()?.navigate(addresses().home())
        : changed.includes('bridge.origins') && host()?.reload();
      if (act) act.catch(warn('the kiosk page did not follow'));
    },
  };
}
