import type { SettingsStore } from '../config/settingsStore.ts';
import type { SipService } from '../intercom/calls/service.ts';
import type { Kiosk } from '../kiosk/kiosk.ts';
import type { Parts } from '../parts.ts';
import type { HealthService } from '../services/health/service.ts';
import type { ProjectsService } from '../services/projects/service.ts';
import type { HomeAssistantPanel, IntercomNow, PanelNow } from '../surfaces/mqtt/homeAssistant/panel.ts';

interface PanelSources {
  info(): { name: string; id: string; address: string; version: string; board: string };
  readonly parts: Parts;
  readonly store: SettingsStore;
  readonly kiosk: Kiosk;
  readonly projects: ProjectsService;
  readonly sip: SipService;
  readonly health: HealthService;
}

/** The panel for Home Assistant, read from its services. */
export function homeAssistantPanel(sources: PanelSources): Omit<HomeAssistantPanel, 'onCall'> {
  const { info, parts, store, kiosk, projects, sip, health } = sources;
  let hasTemperature: Promise<boolean> | undefined;
  return {
    read: async (): Promise<PanelNow> => {
      const { name, id, address, version, board } = info();
      // What sensors a machine has does not change while it runs.
      hasTemperature ??= health.state().then(({ temperature }) => temperature !== null);
      const hasPins = parts.gpio.part().state !== 'absent';
      return {
        name,
        serial: id,
        address,
        version,
        board,
        language: store.now()['device.language'],
        led: parts.led.snapshot(),
        pins: hasPins ? (await parts.gpio.list()).pins : [],
        display: parts.display.snapshot(),
        page: kiosk.pageSnapshot(),
        pages: store.now()['kiosk.pages'],
        projects: (await projects.list()).projects,
        hasSound: parts.sound.part().state !== 'absent',
        hasTemperature: await hasTemperature,
        canReboot: parts.power.part().state !== 'absent',
        intercom: await intercomNow(sip),
      };
    },
    picture: () => kiosk.picture(),
    onSettings: (listener) => store.onLive(() => listener()),
    onActivity: (listener) => parts.idle.onActivity(listener),
    onInput: (listener) => parts.gpio.onInput(listener),
  };
}

/** Undefined while the intercom is off, or not up. */
async function intercomNow(sip: SipService): Promise<IntercomNow | undefined> {
  try {
    const { status, doors, doNotDisturb } = await sip.overview();
    return { callStatus: status.callStatus, doNotDisturb, doors: doors.map(({ name }) => name) };
  } catch {
    return undefined;
  }
}
