import { hostname } from 'node:os';
import type { ResultOf } from './contract/commands.ts';
import type { Snapshot } from './contract/events.ts';
import type { PartInfo } from './contract/system.ts';
import type { SimulatedCamera } from './drivers/camera/simulatedCamera.ts';
import type { KioskHost } from './host/host.ts';
import type { AppsService } from './services/apps/service.ts';
import type { GpioService } from './services/gpio/service.ts';
import type { LedService } from './services/led/service.ts';
import type { PowerService } from './services/power/service.ts';
import type { RtcService } from './services/rtc/service.ts';
import type { SerialService } from './services/serial/service.ts';
import type { StreamService } from './services/stream/service.ts';
import type { TerminalService } from './services/terminal/service.ts';
import type { UdpService } from './services/udp/service.ts';

/** Those who have something to tell. */
interface FactSources {
  readonly version: string;
  readonly board: string;
  readonly terminal: TerminalService;
  readonly led: LedService;
  readonly gpio: GpioService;
  readonly serial: SerialService;
  readonly udp: UdpService;
  readonly stream: StreamService;
  readonly rtc: RtcService;
  readonly power: PowerService;
  readonly apps: AppsService;
  /** The camera of a simulated board. */
  readonly camera: SimulatedCamera | undefined;
  /** The kiosk's window, once it is made. */
  host(): KioskHost | undefined;
}

/** What the panel tells about itself, gathered from all its parts. */
export interface AppFacts {
  info(): ResultOf<'system.info'>;
  /** The state that every new listener to events is given first. */
  snapshot(): Snapshot;
  /** Whether it drives real lights, pins or serial ports, as the panels do that Faceplate was made for. */
  isOem(): boolean;
}

/** Gathers what the parts tell, anew on every call. */
export function appFacts(sources: FactSources): AppFacts {
  const { version, board, led, gpio, serial, stream, rtc, power, apps, camera, host } = sources;
  const parts = (): Record<string, PartInfo> => ({
    terminal: sources.terminal.part(),
    led: led.part(),
    gpio: gpio.part(),
    udp: sources.udp.part(),
    ...serial.parts(),
    rtc: rtc.part(),
    power: power.part(),
    apps: apps.part(),
    ...kioskPart(host()),
  });
  return {
    info: () => ({
      name: hostname(),
      version,
      board,
      recoveries: { ...host()?.recoveries() },
      parts: parts(),
      host: host()?.kind ?? 'none',
    }),
    snapshot: () => {
      const ledState = led.snapshot();
      const alarm = rtc.snapshot();
      const entries = apps.snapshot();
      return {
        ...(ledState && { led: ledState }),
        gpio: gpio.snapshot(),
        ...(alarm && { rtc: alarm }),
        power: power.snapshot(),
        serial: serial.snapshot(),
        ...(entries && { apps: entries }),
        streams: stream.sessions().sessions,
        camera: camera?.url ?? null,
      };
    },
    isOem: () =>
      Object.entries(parts()).some(
        ([name, part]) => part.state === 'real' && /^(led|gpio|serial:.*)$/.test(name),
      ),
  };
}

/** The kiosk is a part only while it shows nothing: to say why. */
function kioskPart(host: KioskHost | undefined): Record<string, PartInfo> {
  const reason = host?.whyNotShown?.();
  if (host === undefined || reason === undefined) return {};
  return { kiosk: { driver: host.kind, path: null, state: 'absent', reason } };
}
