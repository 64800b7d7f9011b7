import type { ResultOf } from './contract/commands.ts';
import type { Snapshot } from './contract/events.ts';
import type { PartInfo } from './contract/system.ts';
import type { Kiosk } from './kiosk/kiosk.ts';
import type { StartedPanel } from './parts/index.ts';
import type { MqttFacts } from './surfaces/mqtt/contract.ts';
import type { StreamService } from './video/service.ts';
import type { SimulatedCamera } from './video/simulatedCamera/simulatedCamera.ts';

/** The parts that report something. */
interface Sources {
  /** Its name and its place on the network, as they are now. */
  identity(): Pick<ResultOf<'system.info'>, 'name' | 'id' | 'address'>;
  readonly version: string;
  readonly board: string;
  readonly parts: Pick<StartedPanel, 'info' | 'snapshot'>;
  readonly stream: StreamService;
  /** The camera of a simulated board. */
  readonly camera: SimulatedCamera | undefined;
  readonly kiosk: Kiosk;
  https(): ResultOf<'system.info'>['https'];
  mqtt(): MqttFacts;
}

/** What the panel reports about itself, collected from all its parts. */
interface SystemInfo {
  info(): ResultOf<'system.info'>;
  /** The state that every new listener to events gets first. */
  snapshot(): Snapshot;
  /** Whether it drives real lights, pins or serial ports, as the panels do that Faceplate was made for. */
  isOem(): boolean;
}

/** Collects the reports of the parts, again on every call. */
export function systemInfo(sources: Sources): SystemInfo {
  const { identity, version, board, parts, stream, camera, kiosk, https, mqtt } = sources;
  const lines = (): Record<string, PartInfo> => Object.assign(parts.info(), kioskLine(kiosk));
  return {
    info: () => ({
      ...identity(),
      version,
      board,
      recoveries: kiosk.recoveries(),
      parts: lines(),
      host: kiosk.hostKind,
      graphics: kiosk.graphics(),
      https: https(),
      mqtt: mqtt(),
    }),
    snapshot: () => {
      const page = kiosk.pageSnapshot();
      return {
        ...(parts.snapshot() as PartStates),
        streams: stream.sessions().sessions,
        ...(page && { page }),
        camera: camera?.url ?? null,
      };
    },
    isOem: () =>
      Object.entries(lines()).some(
        ([name, part]) => part.state === 'real' && /^(led|gpio|serial:.*)$/.test(name),
      ),
  };
}

type PartStates = Omit<Snapshot, 'streams' | 'camera' | 'page'>;

/** The kiosk has a line only while it shows nothing, which says why. */
function kioskLine(kiosk: Kiosk): Record<string, PartInfo> {
  const reason = kiosk.whyNotShown();
  return reason === undefined
    ? {}
    : { kiosk: { driver: kiosk.hostKind, path: null, state: 'absent', reason } };
}
