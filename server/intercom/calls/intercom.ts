import type {
  CameraPreview,
  DoorRelay,
  IntercomPage,
  MediaFactory,
  PanelDiscovery,
  Signalling,
} from '../ports.ts';
import type { CallerPolicy } from './callerPolicy.ts';
import type { PanelList } from './panelList.ts';

/** The parts of the intercom. */
export interface Intercom {
  readonly signalling: Signalling;
  readonly media: MediaFactory;
  readonly page: IntercomPage;
  /** null if `sip.discovery` is off. */
  readonly discovery: PanelDiscovery | null;
  readonly relay: DoorRelay;
  readonly preview: CameraPreview;
  readonly policy: CallerPolicy;
  readonly panels: PanelList;
  /** Port that signalling listens on, after its start. */
  port(): number;
}
