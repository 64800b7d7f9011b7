import { errnoOf, errnoWords } from '../../platform/errno.ts';

/** Where a server listens. */
export interface Place {
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
}

/** What to do where the wished place cannot be opened. */
export interface Fallback {
  /** The place that could be opened last. */
  readonly last: Place;
  /** Whether the panel may listen elsewhere; a flag or the environment is followed, or the start ends. */
  mayGiveUp(setting: AddressSetting): boolean;
  /** It listens elsewhere. @param reason in words, without a value */
  onMissed(setting: AddressSetting, reason: string): void;
  /** Whether the wished place is still wanted: somebody may have changed the setting since. */
  isStillWished(): boolean;
}

export type AddressSetting = 'http.host' | 'http.port';

/** For the panel's own pages, which come from names of loopback. */
export const LOOPBACK_HOST = '127.0.0.1';

const WILD = ['0.0.0.0', '::'];

/** Whether who listens on this address also hears the panel's own pages. */
export function coversLoopback(host: string): boolean {
  return [...WILD, LOOPBACK_HOST, 'localhost', '::1'].includes(host);
}

export function isWild(host: string): boolean {
  return WILD.includes(host);
}

/** The setting that keeps a place from being opened, and why; undefined where it is something else. */
export function whatMissed(error: unknown): { setting: AddressSetting; reason: string } | undefined {
  const code = errnoOf(error) ?? (error as { code?: string }).code;
  const setting =
    code === 'EADDRINUSE' || code === 'EACCES' || code === 'EPERM'
      ? 'http.port'
      : ['EADDRNOTAVAIL', 'EAFNOSUPPORT', 'EINVAL', 'ENOTFOUND'].includes(code ?? '')
        ? 'http.host'
        : undefined;
  return setting && { setting, reason: `cannot be opened: ${errnoWords(code ?? '')}` };
}

/**
 * Where to listen instead, in this order: the last port or address, then loopback. Never on more addresses than
 * wished: all of them count more than one, and one more than loopback.
 */
export function placesInstead(wished: Place, missed: AddressSetting, { last, mayGiveUp }: Fallback): Place[] {
  const ports = mayGiveUp('http.port') ? [...new Set([wished.port, last.port])] : [wished.port];
  const mayMove = mayGiveUp('http.host') && width(last.host) <= width(wished.host);
  const hosts = mayMove ? [...new Set([wished.host, last.host])] : [wished.host];
  const near = hosts.flatMap((host) => ports.map((port) => ({ host, port })));
  // On a port of loopback alone the wished one could never be opened beside it.
  const free =
    isWild(wished.host) && missed === 'http.port' ? ports.filter((port) => port !== wished.port) : ports;
  const within = [...free, ...(mayGiveUp('http.port') ? [0] : [])].map((port) => ({
    host: LOOPBACK_HOST,
    port,
  }));
  return [...near.filter(({ host, port }) => host !== wished.host || port !== wished.port), ...within];
}

function width(host: string): number {
  if (host === '::') return 3;
  if (host === '0.0.0.0') return 2;
  return /^127\.|^localhost$|^::1$/.test(host) ? 0 : 1;
}
