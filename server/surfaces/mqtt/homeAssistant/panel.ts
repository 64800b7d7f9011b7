import type { SettingsStore } from '../../../config/settingsStore.ts';
import type { ResultOf } from '../../../contract/commands.ts';
import type { Kiosk } from '../../../kiosk/kiosk.ts';
import type { StartedPanel } from '../../../parts/index.ts';
import { webOrigin } from '../../../platform/net/addresses.ts';
import type { HomeAssistantPanel } from './discovery.ts';

export interface PanelSources {
  info(): ResultOf<'system.info'>;
  readonly parts: Pick<StartedPanel, 'facts' | 'services'>;
  readonly store: SettingsStore;
  readonly kiosk: Kiosk;
}

/** The panel for Home Assistant. A part without the facts that its entities ask for does not compile here. */
export function homeAssistantPanel({
  info,
  parts,
  store,
  kiosk,
}: PanelSources): Omit<HomeAssistantPanel, 'onCall'> {
  const { idle, gpio } = parts.services;
  return {
    read: async () => {
      const { name, id, address, version, board, https } = info();
      const device = { name, serial: id, origin: webOrigin(address, https?.port), version, board };
      return { ...(await parts.facts()), ...device, language: store.now()['device.language'] };
    },
    picture: () => kiosk.picture(),
    onSettings: (listener) => store.onLive(() => listener()),
    onActivity: (listener) => idle.onActivity(listener),
    onInput: (listener) => gpio.onInput(listener),
  };
}
