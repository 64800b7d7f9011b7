import type { ContainerSpec } from '../../../contract/pageBridge.ts';
import { withTimeLimit } from '../../../platform/async.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Logger } from '../../../platform/log.ts';
import type { HostPolicy } from '../../host.ts';
import { injectedScript, type PageExtras } from '../../pageExtras.ts';
import { granted } from '../../permissions.ts';
import type { BrowserLimits } from '../chromiumHostOptions.ts';
import { type BridgeNames, pageScript } from '../guards/pageScript.ts';
import type { CdpSend } from '../process/cdpProtocol.ts';

interface OriginScriptOptions {
  readonly sessionId: string;
  readonly send: CdpSend;
  readonly names: BridgeNames;
  readonly policy: HostPolicy;
  readonly spec: ContainerSpec;
  readonly extras: PageExtras;
  /** Origins of other windows that keep their permissions when those of this page change. */
  readonly permittedOrigins: () => readonly string[];
  readonly log: Logger;
  readonly clock: Clock;
  readonly limits: BrowserLimits;
}

/** What the page's script is made of. */
interface Wanted {
  readonly bridge: readonly string[];
  readonly joins: readonly string[];
  readonly media: readonly string[];
  readonly injected: string;
}

interface Asked {
  readonly key: string;
  readonly taken: Promise<{ identifier: string }>;
}

/** The script that builds the bridge in the kiosk page, and the page's permissions, for the origins that the policy lists. */
export class OriginScript {
  readonly #options: OriginScriptOptions;
  #asked: Asked | undefined;

  constructor(options: OriginScriptOptions) {
    this.#options = options;
  }

  /** Gives the page the script for the current origins; takes effect with the next document. @throws CdpError */
  async apply(): Promise<void> {
    const { policy, extras } = this.#options;
    const wanted = {
      bridge: [...policy.bridgeOrigins()],
      joins: [...(policy.joinOrigins?.() ?? [])],
      media: [...(policy.mediaOrigins?.() ?? policy.bridgeOrigins())],
      injected: injectedScript(extras.inject()),
    };
    const key = JSON.stringify(wanted);
    if (this.#asked?.key !== key) this.#asked = this.#ask(wanted, key, this.#asked);
    await this.#asked.taken;
  }

  /** Like `apply`. @returns false when the page accepts no script now: its renderer has crashed, or is busy */
  async isTaken(): Promise<boolean> {
    const applied = this.apply().then(
      () => true,
      () => false,
    );
    const { clock, limits } = this.#options;
    return (await withTimeLimit(clock, limits.script, applied)) ?? false;
  }

  #ask({ bridge, joins, media, injected }: Wanted, key: string, old: Asked | undefined): Asked {
    const { send, sessionId, names, spec, permittedOrigins, log } = this.#options;
    const source = pageScript(names, { bridge, joins }, spec) + injected;
    const asked = {
      key,
      taken: send('Page.addScriptToEvaluateOnNewDocument', { source }, sessionId),
    };
    if (old !== undefined) {
      // Also a script that the page accepts only later.
      old.taken
        .then(({ identifier }) => send('Page.removeScriptToEvaluateOnNewDocument', { identifier }, sessionId))
        .catch((error: Error) => log.debug({ err: error }, 'kiosk: the page is already closed'));
      send('Browser.resetPermissions', {}).catch(() => {});
    }
    for (const origin of [...media, ...permittedOrigins()]) void grantPermissions(send, origin, log);
    // A refused request is sent again.
    asked.taken.catch(() => {
      if (this.#asked === asked) this.#asked = undefined;
    });
    return asked;
  }
}

/** What an unknown version of Chromium answers to a name that it does not have. */
const UNKNOWN = /Unknown permission type: (\w+)/;

/** Lets the pages of an origin use what the table grants. Chromium then denies that origin everything not named. */
export async function grantPermissions(send: CdpSend, origin: string, log: Logger): Promise<void> {
  await grant(send, origin, granted('chromium')).catch((error: Error) =>
    log.warn({ err: error, origin }, 'kiosk: could not grant the permissions of the page'),
  );
}

async function grant(send: CdpSend, origin: string, permissions: readonly string[]): Promise<void> {
  try {
    await send('Browser.grantPermissions', { origin, permissions });
  } catch (error) {
    const unknown = UNKNOWN.exec((error as Error).message)?.[1];
    if (unknown === undefined || !permissions.includes(unknown)) throw error;
    await grant(
      send,
      origin,
      permissions.filter((name) => name !== unknown),
    );
  }
}
