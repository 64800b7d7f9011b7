import { join } from 'node:path';
import { createSettingsChannel } from './bridge/settingsChannel.ts';
import type { Dispatch } from './commands/dispatch.ts';
import type { Token } from './config/token.ts';
import { ownPageNames } from './contract/ownPage.ts';
import type { KioskHost } from './host/host.ts';
import { systemClock } from './observe/clock.ts';
import type { Logger } from './observe/log.ts';
import { SettingsPageService } from './services/settingsPage/service.ts';

/** Whether a host name's first label is that of a page of Faceplate's own. */
export const isOwnPage = (id: string): boolean => (ownPageNames as readonly string[]).includes(id);

/** Where the files of a page of Faceplate's own are. */
export const ownPageFolder = (id: string): string | undefined =>
  isOwnPage(id) ? join(import.meta.dirname, 'pages', id) : undefined;

/** What the settings page takes from the rest of the service. */
interface SettingsPageNeeds {
  readonly dataDir: string;
  readonly heldPin: () => string;
  readonly token: Token;
  readonly onRotated: () => void;
  readonly host: () => KioskHost | undefined;
  readonly url: () => string;
  readonly dispatch: Dispatch;
  readonly log: Logger;
}

/** The settings page, shown by the kiosk's host and heard by the dispatcher. */
export function createSettingsPage({
  host,
  url,
  dispatch,
  ...needs
}: SettingsPageNeeds): SettingsPageService {
  const page: SettingsPageService = new SettingsPageService({
    ...needs,
    clock: systemClock,
    window: {
      open: async (onGone) => {
        const kiosk = host();
        if (kiosk === undefined) throw new Error('The kiosk is not open yet.');
        const sink = createSettingsChannel({ dispatch, isUnlocked: () => page.isUnlocked });
        return kiosk.openOwn({ name: 'settings', url: url(), visible: true, media: false, sink, onGone });
      },
    },
  });
  return page;
}
