import type { IncomingMessage } from 'node:http';
import type { ResultOf } from '../../contract/commands.ts';
import { FaceplateError } from '../../contract/errors.ts';
import type { Clock } from '../../platform/clock.ts';
import { errnoOf, errnoWords } from '../../platform/errno.ts';
import { RateLimit } from '../../platform/limits.ts';
import type { Logger } from '../../platform/log.ts';
import { MdnsEndpoint } from '../../platform/mdns/mdnsEndpoint.ts';
import { coveredInterfaces, type Interfaces } from '../../platform/mdns/panelAnnouncer.ts';
import { type AnnouncedService, readServices } from '../../platform/mdns/serviceRecords.ts';
import { interfacesNow } from '../../platform/net/addresses.ts';
import { AddressRefused, type ClosedPorts, requestChecked } from '../../platform/net/checkedRequest.ts';
import { shownUrl } from '../contract.ts';

type Probed = ResultOf<'setup.probe'>;
type Found = ResultOf<'setup.find'>['pages'][number];

interface FindPagesOptions {
  /** Ports of this machine that nothing is fetched from. */
  readonly closedPorts: () => ClosedPorts;
  readonly clock: Clock;
  readonly log: Logger;
  /** UDP port other than 5353, and interfaces, for tests. */
  readonly mdnsPort?: number;
  readonly interfaces?: () => Interfaces;
}

/** DNS-SD service type of Home Assistant (its integration `zeroconf`). */
const SERVICE = '_home-assistant._tcp.local';
/** How long answers are waited for, in milliseconds; most come within 200 (RFC 6762 section 6). */
export const SEARCH_MS = 1_500;
const MAX_FOUND = 8;
const RECORDS_PER_SECOND = 100;
/** Characters of a name or a title. */
const MAX_NAME = 120;

/** A page is asked so long, and so much of it is read for its title: milliseconds and bytes. */
const PROBE_MS = 5_000;
const PROBE_BYTES = 64 * 1024;
/** A web address begins with a scheme; `host:port` begins like one, and is none. */
const SCHEME = /^[a-z][a-z0-9+.-]*:(?!\d+(?:[/?#]|$))/i;

/** Finds what a panel could show: servers of the house, and what is at an address. */
export class FindPages {
  readonly #options: FindPagesOptions;
  #search: Promise<Found[]> | undefined;

  constructor(options: FindPagesOptions) {
    this.#options = options;
  }

  /** Home Assistants that answer on the networks of the panel; one search at a time. It proves nothing about them. */
  async find(): Promise<ResultOf<'setup.find'>> {
    this.#search ??= this.#ask().finally(() => {
      this.#search = undefined;
    });
    return { pages: await this.#search };
  }

  /**
   * What is at an address, which a person may have typed without its scheme.
   * @throws FaceplateError INVALID_REQUEST, the reason of `signal`
   */
  async probe({ url }: { readonly url: string }, signal: AbortSignal): Promise<Probed> {
    let first: Probed | undefined;
    for (const address of addressesFor(url)) {
      const probed = await this.#look(address, signal);
      if (probed.reason === null) return probed;
      first ??= probed;
    }
    return first!;
  }

  async #look(url: string, caller: AbortSignal): Promise<Probed> {
    const deadline = AbortSignal.timeout(PROBE_MS);
    const signal = AbortSignal.any([caller, deadline]);
    try {
      const response = await requestChecked(url, { closedPorts: this.#options.closedPorts(), signal });
      try {
        const { statusCode = 0 } = response;
        const reason = statusCode >= 400 && statusCode !== 401 ? `The server answers ${statusCode}.` : null;
        return { url, title: await titleOf(response), reason };
      } finally {
        response.destroy();
      }
    } catch (error) {
      caller.throwIfAborted();
      // Not asked because it is this machine: the browser of the panel may show it all the same.
      if (error instanceof AddressRefused) return { url, title: null, reason: null };
      const errno = errnoOf(error);
      const words = deadline.aborted
        ? 'nothing answers'
        : errno === undefined
          ? (error as Error).message
          : errnoWords(errno);
      return { url, title: null, reason: `The address cannot be reached: ${words}.` };
    }
  }

  async #ask(): Promise<Found[]> {
    const { clock, log, mdnsPort, interfaces = interfacesNow } = this.#options;
    const found = new Map<string, Found>();
    const records = new RateLimit({ clock, limit: RECORDS_PER_SECOND, windowMs: 1_000 });
    const endpoints = coveredInterfaces('0.0.0.0', '', interfaces()).map(
      ({ name, speaksFrom }) =>
        new MdnsEndpoint({
          interfaceAddress: speaksFrom,
          port: mdnsPort,
          clock,
          onFailed: (error) =>
            log.info({ err: error, interface: name }, 'mdns: could not search for Home Assistant'),
          onResponse: (packet, from) => {
            const { services } = readServices(packet, `.${SERVICE}`, () => records.take());
            for (const service of services) {
              const page = pageOf(service, from);
              if (page !== undefined && found.size < MAX_FOUND) found.set(page.url, page);
            }
          },
        }),
    );
    for (const endpoint of endpoints) {
      endpoint.start();
      endpoint.query(SERVICE, 'PTR');
    }
    await new Promise<void>((resolve) => clock.after(SEARCH_MS, resolve));
    for (const endpoint of endpoints) await endpoint.stop();
    return [...found.values()];
  }
}

/** @returns undefined for one that names no address of the web */
function pageOf({ label, port, text }: AnnouncedService, from: string): Found | undefined {
  const named = [text.get('internal_url'), text.get('base_url')].find(
    (url) => url !== undefined && url !== '',
  );
  const parsed = shownUrl.safeParse(named ?? `http://${from}:${port}`);
  if (!parsed.success) return undefined;
  return {
    kind: 'homeAssistant',
    name: (text.get('location_name') || label).slice(0, MAX_NAME),
    url: parsed.data,
  };
}

/** The addresses that a text may mean. @throws FaceplateError INVALID_REQUEST where it means none */
function addressesFor(text: string): string[] {
  const typed = text.trim();
  const candidates = SCHEME.test(typed) ? [typed] : [`http://${typed}`, `https://${typed}`];
  const urls = candidates.filter((url) => !/\s/.test(url) && shownUrl.safeParse(url).success && hasHost(url));
  if (urls.length === 0)
    throw new FaceplateError(
      'INVALID_REQUEST',
      'Enter a full address, e.g. http://homeassistant.local:8123',
      {
        field: 'url',
      },
    );
  return urls.map((url) => new URL(url).href);
}

/** Whether the host is one that a person means: `http://abc` may be a name of the house, `http://...` is none. */
function hasHost(url: string): boolean {
  return /^[^.]/.test(new URL(url).hostname);
}

/** The title of a page, as its first bytes have it; null without one. */
async function titleOf(response: IncomingMessage): Promise<string | null> {
  if (!/^text\/html|xhtml/i.test(response.headers['content-type'] ?? '')) return null;
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > PROBE_BYTES) break;
  }
  const html = Buffer.concat(chunks).subarray(0, PROBE_BYTES).toString('utf8');
  const written = /<title[^<>]{0,200}>([^<]{1,1000})/i.exec(html)?.[1];
  const title = written === undefined ? '' : plain(written).replaceAll(/\s+/g, ' ').trim();
  return title === '' ? null : title.slice(0, MAX_NAME);
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
};

/** The entities that titles have; others stay as they are. */
function plain(html: string): string {
  return html.replaceAll(/&(?:#(\d{1,6})|(\w{1,8}));/g, (whole, code: string | undefined, name = '') => {
    if (code === undefined) return ENTITIES[name as string] ?? whole;
    return Number(code) <= 0x10ffff ? String.fromCodePoint(Number(code)) : whole;
  });
}
