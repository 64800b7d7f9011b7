import { FaceplateError } from '../../contract/errors.ts';
import { Backoff, pause } from '../../platform/async.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/log.ts';
import type { CameraKind, NamedCamera } from '../named/settingsContract.ts';
import type { CameraUrl } from '../rtsp/cameraUrl.ts';
import type { OnvifDevice } from './device.ts';
import { malformedOnvif } from './failure.ts';
import type { OnvifCameras } from './service.ts';
import { type Addressing, referencesOf } from './soap.ts';
import { childrenOf, findIn, textAt, type XmlElement } from './xml.ts';

/** Cameras that are asked for events. */
const MAX_LISTENED = 16;
/** What happens without a state counts as being so for this time, in milliseconds. */
const MOMENT_MS = 5_000;
/** Least time between two questions, and behind one that was answered at once with nothing, in milliseconds. */
const LEAST_MS = 100;
const EMPTY_MS = 1_000;
/** Things that one camera reports on, by topic and source. */
const MAX_SUBJECTS = 64;
/** Delays until a lost subscription is made again, in milliseconds. */
const AGAIN = { firstMs: 1_000, maxMs: 60_000, peaceMs: 60_000 };
/** A camera without events is asked again after this time: it may be another one, or updated. */
const WITHOUT_MS = 600_000;

/** The event `camera`. */
export interface CameraEvent {
  readonly camera: string;
  readonly kind: CameraKind;
  readonly topic: string;
  readonly on: boolean;
}

interface CameraEventsOptions {
  readonly cameras: () => readonly NamedCamera[];
  /** The address of one, with its login. */
  readonly urlOf: (camera: NamedCamera) => CameraUrl;
  readonly onvif: OnvifCameras;
  readonly emit: (event: CameraEvent) => void;
  readonly clock: Clock;
  readonly log: Logger;
}

interface Listened {
  readonly key: string;
  readonly stop: AbortController;
  readonly ended: Promise<void>;
}

/** Hears what the cameras of `streams.cameras` report, for those that name kinds of `events`. */
export class CameraEvents {
  readonly #options: CameraEventsOptions;
  #listened: Listened[] = [];

  constructor(options: CameraEventsOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    this.follow();
  }

  /** Ends all subscriptions. */
  async stop(): Promise<void> {
    const ending = this.#listened;
    this.#listened = [];
    for (const { stop } of ending) stop.abort(new FaceplateError('SHUTTING_DOWN'));
    await Promise.all(ending.map(({ ended }) => ended));
  }

  /** The setting may have changed. */
  follow(): void {
    const { cameras, urlOf } = this.#options;
    const wanted = cameras()
      .filter(({ events }) => events.length > 0)
      .map((camera) => ({ camera, url: urlOf(camera) }))
      .filter(({ url }) => url.kind === 'onvif')
      .slice(0, MAX_LISTENED)
      .map((one) => ({ ...one, key: JSON.stringify([one.camera.name, one.camera.events, one.url]) }));
    const stays = this.#listened.filter(({ key }) => wanted.some((one) => one.key === key));
    for (const { stop } of this.#listened.filter((one) => !stays.includes(one)))
      stop.abort(new FaceplateError('CONFLICT'));
    const fresh = wanted
      .filter(({ key }) => !stays.some((one) => one.key === key))
      .map(({ camera, url, key }): Listened => {
        const stop = new AbortController();
        return { key, stop, ended: this.#listen(camera, url, stop.signal) };
      });
    this.#listened = [...stays, ...fresh];
  }

  /** Until `signal` aborts. Never rejects. */
  async #listen(camera: NamedCamera, url: CameraUrl, signal: AbortSignal): Promise<void> {
    const { clock, log, onvif } = this.#options;
    const backoff = new Backoff(clock, AGAIN);
    const seen = new Seen(camera, this.#options);
    let lastWords = '';
    while (!signal.aborted) {
      let wait: number | undefined;
      try {
        const device = await onvif.deviceOf(url, signal);
        if (device.has('tev')) {
          const point = await subscribe(device, clock, signal);
          lastWords = '';
          await this.#pull(point, seen, signal);
        } else {
          wait = WITHOUT_MS;
          log.warn({ camera: camera.name }, 'video: a camera has no events');
        }
      } catch (error) {
        seen.end();
        const words = error instanceof FaceplateError ? error.message : String(error);
        if (!signal.aborted && words !== lastWords)
          log.warn({ camera: camera.name, reason: words }, 'video: no events of a camera');
        lastWords = words;
        onvif.forget(url);
      }
      await pause(wait ?? backoff.next(), clock, signal);
    }
    seen.end();
  }

  /** Until it fails. @throws why */
  async #pull(point: PullPoint, seen: Seen, signal: AbortSignal): Promise<never> {
    const { clock } = this.#options;
    try {
      for (;;) {
        const began = clock.now();
        const reports = readNotifications(await point.pull(signal));
        for (const report of reports) seen.take(report);
        const tookMs = clock.now() - began;
        const least = reports.length === 0 ? EMPTY_MS : LEAST_MS;
        if (tookMs < least) await pause(least - tookMs, clock, signal);
        signal.throwIfAborted();
      }
    } finally {
      void point.end();
    }
  }
}

/** What is so at one camera. */
class Seen {
  readonly #camera: NamedCamera;
  readonly #options: Pick<CameraEventsOptions, 'emit' | 'clock'>;
  /** By topic and source. */
  readonly #subjects = new Map<string, { kind: CameraKind; on: boolean; cancel: () => void }>();
  /** Kinds that are on, and the topic that said so. Those that have never been reported are in neither. */
  readonly #kinds = new Map<CameraKind, { on: boolean; topic: string }>();

  constructor(camera: NamedCamera, options: Pick<CameraEventsOptions, 'emit' | 'clock'>) {
    this.#camera = camera;
    this.#options = options;
  }

  take({ topic, kind, source, on }: Notification): void {
    if (!this.#camera.events.includes(kind)) return;
    const key = `${topic}\n${source}`;
    const before = this.#subjects.get(key);
    if (before === undefined && this.#subjects.size >= MAX_SUBJECTS) return;
    before?.cancel();
    const cancel =
      on === null
        ? this.#options.clock.after(MOMENT_MS, () => this.take({ topic, kind, source, on: false }))
        : () => {};
    this.#subjects.set(key, { kind, on: on ?? true, cancel });
    this.#tell(kind, topic);
  }

  /** The subscription is lost: nothing is known to be so any more. */
  end(): void {
    for (const { cancel } of this.#subjects.values()) cancel();
    this.#subjects.clear();
    for (const [kind, { topic }] of this.#kinds) this.#tell(kind, topic);
  }

  #tell(kind: CameraKind, topic: string): void {
    const on = [...this.#subjects.values()].some((one) => one.kind === kind && one.on);
    if (this.#kinds.get(kind)?.on === on) return;
    this.#kinds.set(kind, { on, topic });
    this.#options.emit({ camera: this.#camera.name, kind, topic, on });
  }
}

/** How long a subscription is asked for, and counts where the camera does not say, in milliseconds. */
const GRANTED_MS = 60_000;
/** How long a camera may wait for events, and how long we wait for its answer: a lost one is noticed within 5 s. */
const PULL_SECONDS = 3;
const PULL_MS = 4_500;
const MESSAGE_LIMIT = 10;
const END_MS = 1_000;

const EVENTS = 'http://www.onvif.org/ver10/events/wsdl';
const MANAGER = 'http://docs.oasis-open.org/wsn/bw-2/SubscriptionManager';

/** A place at a camera where events wait (ONVIF Core Specification, real-time pull-point). */
interface PullPoint {
  /** Waits for events, and renews the subscription at half of its time. @throws as `OnvifHosts.call` */
  pull(signal: AbortSignal): Promise<XmlElement>;
  /** Ends it, where the camera answers. Never rejects. */
  end(): Promise<void>;
}

/** Subscribes to all events of a camera. @throws as `OnvifHosts.call` */
async function subscribe(device: OnvifDevice, clock: Clock, signal: AbortSignal): Promise<PullPoint> {
  const span = `PT${GRANTED_MS / 1000}S`;
  const begin = async (until: AbortSignal) => {
    const body = `<tev:InitialTerminationTime>${span}</tev:InitialTerminationTime>`;
    const answer = await device.call('tev', 'CreatePullPointSubscription', body, until);
    const reference = findIn(answer, 'SubscriptionReference');
    const address = textAt(reference, 'Address');
    if (!URL.canParse(address)) throw malformedOnvif('it names no address of its events');
    const references = referencesOf(reference);
    return { address, references, renewAt: clock.now() + grantedMs(answer) / 2 };
  };
  let place = await begin(signal);
  const call = (what: string, body: string, action: string, until: AbortSignal, waitsMs?: number) => {
    const { address, references } = place;
    // Its own name for the subscription; where it is sent to is decided by us.
    const addressing: Addressing = { action: `${action}/${what}Request`, to: address, references };
    return device.callAt(
      address,
      { what, body, addressing, ...(waitsMs !== undefined && { waitsMs }) },
      until,
    );
  };
  const end = async () => {
    try {
      await call('Unsubscribe', '<wsnt:Unsubscribe/>', MANAGER, AbortSignal.timeout(END_MS));
    } catch {
      // It ends by itself.
    }
  };
  const renew = async (until: AbortSignal) => {
    const body = `<wsnt:Renew><wsnt:TerminationTime>${span}</wsnt:TerminationTime></wsnt:Renew>`;
    try {
      const answer = await call('Renew', body, MANAGER, until);
      place = { ...place, renewAt: clock.now() + grantedMs(answer) / 2 };
    } catch (error) {
      if (!(error instanceof FaceplateError) || error.code !== 'CAMERA_PROTOCOL') throw error;
      // Some cannot renew one; they report what is so at the begin of the next.
      await end();
      place = await begin(until);
    }
  };
  return {
    pull: async (until) => {
      if (clock.now() >= place.renewAt) await renew(until);
      const body = `<tev:PullMessages><tev:Timeout>PT${PULL_SECONDS}S</tev:Timeout><tev:MessageLimit>${MESSAGE_LIMIT}</tev:MessageLimit></tev:PullMessages>`;
      return call('PullMessages', body, `${EVENTS}/PullPointSubscription`, until, PULL_MS);
    },
    end,
  };
}

/** How long a subscription was granted for, by the camera's own two times. */
function grantedMs(answer: XmlElement): number {
  const at = (name: string) => Date.parse(findIn(answer, name)?.text ?? '');
  const granted = at('TerminationTime') - at('CurrentTime');
  return granted >= 5_000 && granted <= 3_600_000 ? granted : GRANTED_MS;
}

/** Something that a camera reports. */
interface Notification {
  /** As the camera writes it. */
  readonly topic: string;
  readonly kind: CameraKind;
  /** What the report is about, for a camera that reports one thing for several places. */
  readonly source: string;
  /** Null for what has no state: it happened. */
  readonly on: boolean | null;
}

/** Reports of one answer, and characters of a topic and a source. */
const MAX_REPORTS = 100;
const MAX_TEXT = 256;

/** Kinds by what their topics contain, the closest first. */
const KINDS: readonly (readonly [RegExp, CameraKind])[] = [
  [/visitor|doorbell|ringing|callbutton/i, 'visitor'],
  [/face/i, 'face'],
  [/people|person|human|pedestrian/i, 'person'],
  [/vehicle|\bcar\b|cardetect|licenseplate/i, 'vehicle'],
  [/dogcat|animal|\bpet\b|petdetect/i, 'animal'],
  [/motion/i, 'motion'],
];

/** Topics that say nothing about what the camera sees. */
const OWN_AFFAIRS =
  /^(?:\w+:)?(?:Device|Monitoring|Configuration|RecordingConfig|RecordingHistory|UserAlarm|Media|Security)\b/;

/** Names of the values that say whether something is so, as makers have them. */
const STATES =
  /^(?:State|IsMotion|IsPeople|IsFace|IsVehicle|IsCar|IsPet|IsDogCat|IsInside|Value|IsTamper|LogicalState|Active|IsSoundDetected|IsVisitor)$/i;

/** Kind of a topic, such as `tns1:RuleEngine/MyRuleDetector/PeopleDetect`; undefined for the camera's own affairs. */
export function kindOf(topic: string): CameraKind | undefined {
  if (OWN_AFFAIRS.test(topic)) return undefined;
  return KINDS.find(([pattern]) => pattern.test(topic))?.[1] ?? 'other';
}

/** Reads the reports in an answer to PullMessages (WS-BaseNotification). */
export function readNotifications(answer: XmlElement): Notification[] {
  const messages = childrenOf(findIn(answer, 'PullMessagesResponse') ?? answer, 'NotificationMessage');
  return messages.slice(0, MAX_REPORTS).flatMap((message) => {
    const topic = textAt(message, 'Topic').slice(0, MAX_TEXT);
    const kind = kindOf(topic);
    if (topic === '' || kind === undefined) return [];
    const items = (of: string) => childrenOf(findIn(message, of), 'SimpleItem');
    const source = items('Source').map((item) => item.attributes.get('Value') ?? '');
    return [{ topic, kind, source: source.join(' ').slice(0, MAX_TEXT), on: stateOf(items('Data')) }];
  });
}

function stateOf(items: readonly XmlElement[]): boolean | null {
  const named = items.filter((item) => STATES.test(item.attributes.get('Name') ?? ''));
  for (const item of named.length > 0 ? named : items) {
    const value = (item.attributes.get('Value') ?? '').toLowerCase();
    if (value === 'true' || value === '1' || value === 'on' || value === 'active') return true;
    if (value === 'false' || value === '0' || value === 'off' || value === 'inactive') return false;
  }
  return null;
}
