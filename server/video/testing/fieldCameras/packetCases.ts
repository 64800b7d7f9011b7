import { type FieldCase, plays } from './fieldCase.ts';

const since = '0.1.0';

/** Timestamps. */
export const timeCases: readonly FieldCase[] = [
  {
    name: 'jumpsAhead',
    does: 'sets its clock an hour ahead',
    departs: { jumpSeconds: 3_600 },
    right: plays('timestampJump'),
    since,
    besidePeers: true,
  },
  {
    name: 'jumpsBack',
    does: 'sets its clock an hour back',
    departs: { jumpSeconds: -3_600 },
    right: plays('timestampJump'),
    since,
    besidePeers: true,
  },
  {
    name: 'jumpsBackAcrossZero',
    does: 'sets its clock back across 0 of the 32 bits',
    departs: { firstTimestamp: 900_000, jumpSeconds: -60 },
    right: plays('timestampJump'),
    since,
  },
  {
    name: 'stepsBack',
    does: 'steps half a second back (Eufy)',
    departs: { jumpSeconds: -0.5 },
    right: plays('timestampJump'),
    since,
  },
  {
    name: 'repeatsTimestamps',
    does: 'gives a picture the timestamp of the one before, now and then (Eufy)',
    departs: { repeatsTimestamps: true },
    right: plays('timestampRepeated'),
    since,
  },
  {
    name: 'stalls',
    does: 'sends nothing for 2 s, then all of it at once (Wi-Fi)',
    departs: { stallMs: 2_000 },
    right: plays(),
    // After it a browser shows pictures later by a second or more, in case that the next comes late too.
    seconds: 14,
    since,
  },
  {
    name: 'runsAcrossZero',
    does: 'counts across 0 of the 32 bits',
    departs: { firstTimestamp: 2 ** 32 - 3 * 90_000 },
    right: plays(),
    since,
  },
];

/** RTP types and channels. */
export const packetCases: readonly FieldCase[] = [
  {
    name: 'otherType',
    does: 'sends another payload type than it describes',
    departs: { payloadType: 98 },
    right: plays('payloadType'),
    since,
    besidePeers: true,
  },
  {
    name: 'typeOfStandard',
    does: 'describes type 96 and sends the static type 35 (Bosch)',
    departs: { payloadType: 35 },
    right: plays('payloadType'),
    since,
  },
  {
    name: 'minorityType',
    does: 'sends packets of type 50 in between, with a number that comes again',
    departs: { minorityType: 50 },
    right: plays(),
    since,
    besidePeers: true,
  },
  {
    name: 'otherTypeAndMinority',
    does: 'sends another payload type than it describes, and a third in between',
    departs: { payloadType: 105, minorityType: 50 },
    right: plays('payloadType'),
    since,
  },
  {
    name: 'twoTypes',
    does: 'describes two types in one line, and sends the second',
    departs: { description: 'twoTypes' },
    right: plays(),
    since,
    besidePeers: true,
  },
  {
    name: 'noise',
    does: 'sends stray bytes between frames (Canon VB-H47)',
    departs: { between: 'noise' },
    right: plays('strayBytes'),
    since,
    besidePeers: true,
  },
  {
    name: 'otherChannel',
    does: 'sends frames of a channel that nobody set up',
    departs: { between: 'otherChannel' },
    right: plays(),
    since,
  },
  {
    name: 'asks',
    does: 'sends requests to the panel',
    departs: { between: 'request' },
    right: plays(),
    since,
  },
  {
    name: 'emptyLines',
    does: 'sends empty lines between frames',
    departs: { between: 'emptyLine' },
    right: plays(),
    since,
  },
  {
    name: 'earlyMedia',
    does: 'sends RTP before it answers PLAY',
    departs: { earlyMedia: true },
    right: plays(),
    since,
  },
  {
    name: 'sameChannels',
    does: 'puts both tracks on the same channels',
    departs: { description: 'sound', channels: 'same' },
    right: plays('sharedChannel'),
    since,
    besidePeers: true,
  },
  {
    name: 'otherChannels',
    does: 'names other channels than it was asked for (8-9)',
    departs: { channels: 'others' },
    right: plays(),
    since,
  },
  {
    name: 'unnamedChannels',
    does: 'names no channels',
    departs: { channels: 'unnamed', description: 'sound' },
    right: plays(),
    since,
  },
];
