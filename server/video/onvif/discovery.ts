import { randomUUID } from 'node:crypto';
import { createSocket, type Socket } from 'node:dgram';
import { isIPv4 } from 'node:net';
import { pause } from '../../platform/async.ts';
import type { Clock } from '../../platform/clock.ts';
import { ownAddresses } from '../../platform/net/addresses.ts';
import { DEVICE_PATH } from './hosts.ts';
import { childrenOf, findIn, readXml, textAt } from './xml.ts';

/** A camera that answered a search. */
export interface FoundCamera {
  readonly name: string | null;
  readonly maker: string | null;
  readonly host: string;
  readonly port: number;
}

/** Where cameras are asked (WS-Discovery 1.0, section 2.4). */
const GROUP = '239.255.255.250';
const PORT = 3702;
/** Probes are sent again after this time, in milliseconds: datagrams get lost. */
const AGAIN_MS = 500;
/** Bytes of an answer, answers of one search and of one sender, and cameras. */
const MAX_BYTES = 65_536;
const MAX_ANSWERS = 2_000;
const MAX_PER_SENDER = 16;
const MAX_CAMERAS = 256;
const MAX_TEXT = 100;

interface SearchOptions {
  readonly seconds: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Takes each camera as soon as it has answered. */
  readonly onFound: (camera: FoundCamera) => void;
  /** Another group, port and interfaces for tests. */
  readonly group?: string;
  readonly port?: number;
  readonly interfaces?: () => readonly string[];
}

/**
 * Looks for ONVIF cameras by WS-Discovery on each interface, and listens for so many seconds.
 * @returns by host; a camera that answers from several addresses is there once for each
 * @throws the reason of `signal`
 */
export async function searchCameras({
  seconds,
  clock,
  signal,
  onFound,
  group = GROUP,
  port = PORT,
  interfaces = ownInterfaces,
}: SearchOptions): Promise<FoundCamera[]> {
  const answers = new Answers(onFound);
  const sockets = await Promise.all(interfaces().map((address) => openSocket(address, answers)));
  const open = sockets.filter((socket) => socket !== undefined);
  try {
    // The second with any type: not all cameras say that they are one.
    const probes = [probe('dn:NetworkVideoTransmitter'), probe('')];
    const ask = () => {
      for (const socket of open) for (const message of probes) socket.send(message, port, group, () => {});
    };
    ask();
    await pause(AGAIN_MS, clock, signal);
    ask();
    await pause(seconds * 1000 - AGAIN_MS, clock, signal);
    signal.throwIfAborted();
    return answers.cameras();
  } finally {
    for (const socket of open) socket.close();
  }
}

/** Addresses of IPv4, that of loopback too: cameras of this machine are found there. */
function ownInterfaces(): string[] {
  return ownAddresses().flatMap(({ address, family }) => (family === 'IPv4' ? [address] : []));
}

/** @returns undefined where the interface is gone or has no multicast */
function openSocket(address: string, answers: Answers): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = createSocket('udp4');
    socket.once('error', () => {
      socket.close();
      resolve(undefined);
    });
    socket.on('message', (bytes, { address: sender }) => answers.add(bytes, sender));
    socket.bind(0, address, () => {
      try {
        socket.setMulticastInterface(address);
        socket.setMulticastTTL(1);
      } catch {
        socket.close();
        return resolve(undefined);
      }
      socket.removeAllListeners('error');
      // A send that fails leaves the others.
      socket.on('error', () => {});
      resolve(socket);
    });
  });
}

function probe(types: string): string {
  return (
    '<?xml version="1.0" encoding="UTF-8"?><s:Envelope xmlns:s="http://www.w3.org/2003/05/soap-envelope"' +
    ' xmlns:a="http://schemas.xmlsoap.org/ws/2004/08/addressing" xmlns:d="http://schemas.xmlsoap.org/ws/2005/04/discovery"' +
    ' xmlns:dn="http://www.onvif.org/ver10/network/wsdl"><s:Header>' +
    '<a:Action>http://schemas.xmlsoap.org/ws/2005/04/discovery/Probe</a:Action>' +
    `<a:MessageID>urn:uuid:${randomUUID()}</a:MessageID>` +
    '<a:To>urn:schemas-xmlsoap-org:ws:2005:04:discovery</a:To></s:Header>' +
    `<s:Body><d:Probe>${types === '' ? '<d:Types/>' : `<d:Types>${types}</d:Types>`}</d:Probe></s:Body></s:Envelope>`
  );
}

/** What came during one search. */
class Answers {
  readonly #cameras = new Map<string, FoundCamera>();
  readonly #bySender = new Map<string, number>();
  readonly #onFound: (camera: FoundCamera) => void;
  #count = 0;

  constructor(onFound: (camera: FoundCamera) => void) {
    this.#onFound = onFound;
  }

  add(bytes: Buffer, sender: string): void {
    const ofSender = (this.#bySender.get(sender) ?? 0) + 1;
    if (bytes.length > MAX_BYTES || ++this.#count > MAX_ANSWERS || ofSender > MAX_PER_SENDER) return;
    this.#bySender.set(sender, ofSender);
    const camera = readProbeMatch(bytes, sender);
    if (camera === undefined) return;
    const key = `${camera.host}:${camera.port}`;
    const before = this.#cameras.get(key);
    if (before === undefined && this.#cameras.size >= MAX_CAMERAS) return;
    this.#cameras.set(key, {
      ...camera,
      name: camera.name ?? before?.name ?? null,
      maker: camera.maker ?? before?.maker ?? null,
    });
    if (before === undefined) this.#onFound(camera);
  }

  cameras(): FoundCamera[] {
    const key = ({ host, port }: FoundCamera) =>
      [...host.split('.').map((part) => part.padStart(3, '0')), String(port).padStart(5, '0')].join('.');
    return [...this.#cameras.values()].toSorted((a, b) => (key(a) < key(b) ? -1 : 1));
  }
}

/**
 * Reads an answer to a probe. The address is that of its sender: what cameras write there is often another network's.
 * @returns undefined for what is no answer of a camera
 */
export function readProbeMatch(bytes: Buffer, sender: string): FoundCamera | undefined {
  if (!isIPv4(sender)) return undefined;
  try {
    const root = readXml(bytes.toString('utf8'));
    // Some put it into the body without the list around it.
    const matches = childrenOf(findIn(root, 'ProbeMatches') ?? findIn(root, 'Body'), 'ProbeMatch');
    for (const match of matches.slice(0, 8)) {
      const scopes = textAt(match, 'Scopes').split(/\s+/);
      const isCamera =
        /NetworkVideoTransmitter|\bDevice\b/.test(textAt(match, 'Types')) ||
        scopes.some((scope) => /^onvif:\/\/www\.onvif\.org\//i.test(scope));
      const port = portOf(textAt(match, 'XAddrs').split(/\s+/));
      if (!isCamera || port === undefined) continue;
      const scope = (name: string) => scopeOf(scopes, name);
      return {
        name: scope('name') ?? scope('hardware'),
        maker: scope('manufacturer') ?? scope('mfr'),
        host: sender,
        port,
      };
    }
  } catch {
    // Anybody may answer, with anything.
  }
  return undefined;
}

/** The port of the first usable address: of the device service where one is that, without TLS. */
function portOf(addresses: readonly string[]): number | undefined {
  const usable = addresses
    .slice(0, 16)
    .flatMap((address) => (URL.canParse(address) ? [new URL(address)] : []))
    .filter(({ protocol }) => protocol === 'http:');
  const url = usable.find(({ pathname }) => pathname === DEVICE_PATH) ?? usable[0];
  return url && (url.port === '' ? 80 : Number(url.port));
}

function scopeOf(scopes: readonly string[], name: string): string | null {
  const prefix = `onvif://www.onvif.org/${name}/`;
  const found = scopes.find((scope) => scope.toLowerCase().startsWith(prefix))?.slice(prefix.length);
  if (found === undefined) return null;
  let text = found;
  try {
    text = decodeURIComponent(found);
  } catch {}
  return (
    text
      .replaceAll(/\p{Cc}/gu, '')
      .trim()
      .slice(0, MAX_TEXT) || null
  );
}
