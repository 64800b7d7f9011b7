import { lookup } from 'node:dns/promises';
import { request as httpsRequest } from 'node:https';
import { isIP } from 'node:net';
import { FaceplateError } from '../../contract/errors.ts';
import { errnoOf, errnoWords } from '../../platform/errno.ts';
import { isLocalAddress } from '../../platform/net/addresses.ts';
import { request as httpRequest } from '../../platform/net/nodeHttp.ts';
import type { DoorRelay } from '../ports.ts';

interface HttpDoorOptions {
  /** Milliseconds for the whole request; for tests. */
  readonly timeoutMs?: number;
  /** Resolves a host name; for tests. */
  readonly resolve?: (host: string) => Promise<readonly string[]>;
}

const TIMEOUT_MS = 5_000;

/** Opens a door by one GET on the local network. Redirects are not followed and the body is not read. */
export class HttpDoor implements DoorRelay {
  readonly #timeoutMs: number;
  readonly #resolve: (host: string) => Promise<readonly string[]>;

  constructor(options: HttpDoorOptions = {}) {
    this.#timeoutMs = options.timeoutMs ?? TIMEOUT_MS;
    this.#resolve =
      options.resolve ?? (async (host) => (await lookup(host, { all: true })).map(({ address }) => address));
  }

  /**
   * @throws FaceplateError FORBIDDEN (not on the local network), HARDWARE_ERROR, HARDWARE_TIMEOUT; the messages never
   * contain the URL.
   */
  async open(url: string): Promise<void> {
    const target = new URL(url);
    const host = target.hostname.replace(/^\[|\]$/g, '');
    const address = isIP(host) === 0 ? await this.#addressOf(host) : host;
    if (!isLocalAddress(address)) {
      throw new FaceplateError('FORBIDDEN', `${host} is not on the local network.`);
    }
    const status = await this.#get(target, address);
    if (status < 200 || status > 299) {
      throw new FaceplateError('HARDWARE_ERROR', `${host} answered with status ${status}.`);
    }
  }

  async #addressOf(host: string): Promise<string> {
    try {
      const [address] = await this.#resolve(host);
      if (address !== undefined) return address;
    } catch {
      // The sentence below reports it.
    }
    throw new FaceplateError('HARDWARE_ERROR', `the name ${host} is not known on this network.`);
  }

  /** Connects to exactly the address that was checked; the name is only sent to the server. */
  #get(target: URL, address: string): Promise<number> {
    const isTls = target.protocol === 'https:';
    const name = target.hostname.replace(/^\[|\]$/g, '');
    const { username, password } = target;
    return new Promise((resolve, reject) => {
      const signal = AbortSignal.timeout(this.#timeoutMs);
      const request = (isTls ? httpsRequest : httpRequest)({
        host: address,
        port: target.port || (isTls ? 443 : 80),
        path: `${target.pathname}${target.search}`,
        headers: { host: target.host },
        ...(username !== '' && { auth: `${decodeURIComponent(username)}:${decodeURIComponent(password)}` }),
        // Door stations on the local network have self-signed certificates.
        ...(isTls && { rejectUnauthorized: false, ...(isIP(name) === 0 && { servername: name }) }),
        agent: false,
        signal,
      });
      request.on('response', (response) => {
        response.destroy();
        resolve(response.statusCode ?? 0);
      });
      request.on('error', (error) => {
        if (signal.aborted) {
          reject(new FaceplateError('HARDWARE_TIMEOUT', `${name} did not answer in time.`));
          return;
        }
        const errno = errnoOf(error);
        const why = errno === undefined ? 'gave no valid answer' : `cannot be reached: ${errnoWords(errno)}`;
        reject(new FaceplateError('HARDWARE_ERROR', `${name} ${why}.`));
      });
      request.end();
    });
  }
}
