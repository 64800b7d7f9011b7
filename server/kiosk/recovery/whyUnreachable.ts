import { lookup } from 'node:dns/promises';
import { connect } from 'node:net';
import type { Clock } from '../../platform/clock.ts';
import { ownAddresses } from '../../platform/networks.ts';
import { serverOf } from '../mayShow.ts';
import type { OutageReason } from './waitingTexts.ts';

/** How long a server may take to accept a connection, in milliseconds. */
const CONNECT_MS = 3_000;
/** How often the panel's network addresses are checked while it waits for a page, in milliseconds. */
const LINK_EVERY_MS = 1_000;

/**
 * Connects to the server of a page, so that the browser need not try.
 * @returns undefined when it answers, else why not
 */
export async function whyUnreachable(url: string): Promise<OutageReason | undefined> {
  const { host, port } = serverOf(url);
  try {
    await knock(await addressOf(host), port);
    return undefined;
  } catch (error) {
    return reasonOf((error as NodeJS.ErrnoException).code);
  }
}

/** Chromium takes *.localhost for this machine; the resolver of the system may not. */
async function addressOf(hostname: string): Promise<string> {
  if (/(^|\.)localhost$/.test(hostname)) return '127.0.0.1';
  return (await lookup(hostname.replace(/^\[|\]$/g, ''))).address;
}

function knock(host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port });
    socket.setTimeout(CONNECT_MS, () => socket.destroy(Object.assign(new Error(), { code: 'ETIMEDOUT' })));
    socket.once('connect', () => {
      socket.destroy();
      resolve();
    });
    socket.once('error', reject);
  });
}

function reasonOf(code: string | undefined): OutageReason {
  switch (code) {
    case 'ECONNREFUSED':
      return 'refused';
    case 'ETIMEDOUT':
    case 'EHOSTUNREACH':
      return 'silent';
    case 'ENETUNREACH':
      return 'no-network';
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return 'no-name';
    default:
      return 'unreachable';
  }
}

/** Reports when the panel gets a network address it did not have. @returns the function that stops it. */
export function onLinkUp(
  clock: Clock,
  act: () => void,
  addresses: () => string[] = () => ownAddresses().map(({ address }) => address),
): () => void {
  let known = new Set(addresses());
  let cancel: () => void;
  const look = () => {
    cancel = clock.after(LINK_EVERY_MS, () => {
      const now = addresses();
      const isNew = now.some((address) => !known.has(address));
      known = new Set(now);
      look();
      if (isNew) act();
    });
  };
  look();
  return () => cancel();
}
