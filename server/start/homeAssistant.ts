import type { SettingsStore } from '../config/settingsStore.ts';
import type { ResultOf } from '../contract/commands.ts';
import type { EventName } from '../contract/events.ts';
import type { PinState } from '../contract/gpio.ts';
import type { SipEvent } from '../contract/sip.ts';
import type { SoundEvent } from '../contract/sound.ts';
import type { SipService } from '../intercom/calls/service.ts';
import type { Kiosk } from '../kiosk/kiosk.ts';
import type { Parts } from '../parts.ts';
import type { EventBus } from '../platform/eventBus.ts';
import type { HealthService } from '../services/health/service.ts';
import type { ProjectsService } from '../services/projects/service.ts';
import type { HomeAssistantPanel, IntercomNow, PanelNow } from '../surfaces/mqtt/homeAssistant/panel.ts';

interface PanelSources {
  info(): Pick<ResultOf<'system.info'>, 'name' | 'id' | 'address' | 'version' | 'board'>;
  readonly parts: Parts;
  readonly store: SettingsStore;
  readonly kiosk: Kiosk;
  readonly projects: ProjectsService;
  readonly sip: SipService;
  readonly health: HealthService;
  readonly bus: EventBus;
  /** Told after each call of any surface and each change of settings: not all that calls change has an event. */
  onChanged(listener: () => void): () => void;
  /** Told of each edge at an input that the panel did not write itself. */
  onInput(listener: (edge: PinState) => void): () => void;
}

/** The panel for Home Assistant, read from its services. */
export function homeAssistantPanel(sources: PanelSources): HomeAssistantPanel {
  const { info, parts, store, kiosk, projects, sip, health, bus, onChanged, onInput } = sources;
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
    onChange: (listener) => {
      const ends = [onChanged(listener), bus.onAny((event) => event !== 'stream' && listener())];
      return () => {
        for (const end of ends) end();
      };
    },
    onPicture: (listener) => on(bus, ['page', 'display'], listener),
    onActivity: (listener) => parts.idle.onActivity(listener),
    onInput,
    onRing: (listener) =>
      on<SipEvent>(bus, ['sip'], ({ event, payload }) => {
        // An announcement of another panel is heard; nobody rings.
        if (event === 'incomingCall' && !payload.isBroadcast) listener(payload.callerName);
      }),
    onSoundEnd: (listener) =>
      on<SoundEvent>(bus, ['sound'], ({ id, action }) => {
        if (action !== 'started') listener(id);
      }),
  };
}

function on<T>(bus: EventBus, names: readonly EventName[], listener: (payload: T) => void): () => void {
  return bus.onAny((name, payload) => {
    if (names.includes(name)) listener(payload as T);
  });
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
