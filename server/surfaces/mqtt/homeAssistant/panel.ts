import type { SettingsStore } from '../../../config/settingsStore.ts';
import type { ResultOf } from '../../../contract/commands.ts';
import type { SipService } from '../../../intercom/calls/service.ts';
import type { Kiosk } from '../../../kiosk/kiosk.ts';
import type { Parts } from '../../../parts/index.ts';
import { webOrigin } from '../../../platform/net/addresses.ts';
import type { HomeAssistantPanel, PanelNow } from './discovery.ts';

export interface PanelSources {
  info(): ResultOf<'system.info'>;
  readonly parts: Pick<
    Parts,
    | 'buttons'
    | 'climate'
    | 'display'
    | 'gpio'
    | 'health'
    | 'idle'
    | 'led'
    | 'power'
    | 'projects'
    | 'readers'
    | 'sip'
    | 'sound'
  >;
  readonly store: SettingsStore;
  readonly kiosk: Kiosk;
  /** As it was at the start. */
  readonly isIntercomOn: boolean;
}

/** The panel for Home Assistant, read from its services. */
export function homeAssistantPanel(sources: PanelSources): Omit<HomeAssistantPanel, 'onCall'> {
  const { info, parts, store, kiosk, isIntercomOn } = sources;
  let hasTemperature: Promise<boolean> | undefined;
  let display: Promise<unknown> | undefined;
  return {
    read: async (): Promise<PanelNow> => {
      const { name, id, address, version, board, https } = info();
      // What sensors a machine has does not change while it runs.
      hasTemperature ??= parts.health.state().then(
        ({ temperature }) => temperature !== null,
        () => {
          hasTemperature = undefined;
          return false;
        },
      );
      // What the screen has is not known before it was asked once: an entity that seems to go would be lost.
      display ??= parts.display.state().catch(() => {
        display = undefined;
      });
      await display;
      const sound = parts.sound.part();
      const hasPins = parts.gpio.part().state !== 'absent';
      return {
        name,
        serial: id,
        origin: webOrigin(address, https?.port),
        version,
        board,
        language: store.now()['device.language'],
        led: parts.led.snapshot(),
        buttons: parts.buttons.names,
        readers: parts.readers.names,
        climate: parts.climate.measured,
        pins: hasPins ? (await parts.gpio.list()).pins : [],
        display: parts.display.snapshot(),
        // Whole, to be compared with those of the settings: what is told of it is the name of the page.
        page: kiosk.pageSnapshot(true),
        pages: store.now()['kiosk.pages'],
        projects: parts.projects.list().projects,
        // A loudspeaker may come up later than the panel.
        hasSound: sound.state !== 'absent' || sound.reason === 'not started',
        hasTemperature: await hasTemperature,
        hasUpdates: true,
        canReboot: parts.power.part().state !== 'absent',
        intercom: await intercomNow(parts.sip, isIntercomOn),
      };
    },
    picture: () => kiosk.picture(),
    onSettings: (listener) => store.onLive(() => listener()),
    onActivity: (listener) => parts.idle.onActivity(listener),
    onInput: (listener) => parts.gpio.onInput(listener),
  };
}

/** Undefined while the intercom is off. @throws FaceplateError SHUTTING_DOWN while it ends: it is not gone for good */
async function intercomNow(sip: SipService, isOn: boolean): Promise<PanelNow['intercom']> {
  if (!isOn) return undefined;
  const { status, doors, doNotDisturb } = await sip.overview();
  return { callStatus: status.callStatus, doNotDisturb, doors: doors.map(({ name }) => name) };
}
