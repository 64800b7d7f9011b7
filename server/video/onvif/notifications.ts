import type { CameraKind } from '../named/settingsContract.ts';
import { childrenOf, findIn, textAt, type XmlElement } from './xml.ts';

/** Something that a camera reports. */
export interface Notification {
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
