import { lookup } from 'node:dns/promises';
import { connect } from 'node:net';
import type { Clock } from '../../platform/clock.ts';
import { ownAddresses } from '../../platform/networks.ts';
import { serverOf } from '../mayShow.ts';

/** How long a server may take to accept a connection, in milliseconds. */
const CONNECT_MS = 3_000;
/** How often the panel's network addresses are checked while it waits for a page, in milliseconds. */
const LINK_EVERY_MS = 1_000;

/**
 * Connects to the server of a page, so that the browser need not try.
 * @returns undefined when it answers, else a sentence for the screen that says why not.
 */
export async function whyUnreachable(url: string): Promise<string | undefined> {
  const { host, port } = serverOf(url);
  try {
    await knock(await addressOf(host), port);
    return undefined;
  } catch (error) {
    return wordsFor((error as NodeJS.ErrnoException).code);
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

function wordsFor(code: string | undefined): string {
  switch (code) {
    case 'ECONNREFUSED':
      return 'The server of the page is not running.';
    case 'ETIMEDOUT':
    case 'EHOSTUNREACH':
      return 'The server of the page does not answer.';
    case 'ENETUNREACH':
      return 'This panel has no network.';
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return 'The name of the server cannot be found.';
    default:
      return 'The server of the page cannot be reached.';
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

/** The page that replaces one that cannot be shown. `place` is its origin; both texts are shown as they are. */
export function waitingPage(place: string, reason: string): string {
  const html = `<!doctype html><meta charset="utf-8"><title>Waiting</title>
<body style="margin:0;height:100vh;display:grid;place-content:center;text-align:center;background:#111;color:#ddd;font:24px sans-serif">
<h1 style="font-size:32px;font-weight:500">Waiting for ${escapeHtml(place)}</h1><p>${escapeHtml(reason)}<p style="color:#888">Trying again automatically.`;
  return `data:text/html,${encodeURIComponent(html)}`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
