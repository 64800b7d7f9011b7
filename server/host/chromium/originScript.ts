import type { ContainerSpec } from '../../contract/pageBridge.ts';
import type { Logger } from '../../observe/log.ts';
import type { Clock } from '../clock.ts';
import type { HostPolicy } from '../host.ts';
import type { CdpSend } from './cdpProtocol.ts';
import { type BridgeNames, pageScript } from './pageScript.ts';
import { grantPermissions } from './permissions.ts';
import { within } from './within.ts';

/** How long a page may take to take a script, in milliseconds. One whose renderer has crashed never does. */
const TAKEN_MS = 2_000;

interface OriginScriptOptions {
  readonly sessionId: string;
  readonly send: CdpSend;
  readonly names: BridgeNames;
  readonly policy: HostPolicy;
  readonly spec: ContainerSpec;
  /** Origins of other windows that keep their permissions when those of this page change. */
  readonly permittedOrigins: () => readonly string[];
  readonly log: Logger;
  readonly clock: Clock;
}

interface Asked {
  readonly origins: string;
  readonly taken: Promise<{ identifier: string }>;
}

/** The script that builds the bridge in the kiosk page, and the page's permissions, for the origins that the policy lists. */
export class OriginScript {
  readonly #options: OriginScriptOptions;
  #asked: Asked | undefined;

  constructor(options: OriginScriptOptions) {
    this.#options = options;
  }

  /** Gives the page the script for the origins of now; it counts from the next document on. @throws CdpError */
  async apply(): Promise<void> {
    const list = [...this.#options.policy.bridgeOrigins()];
    const origins = JSON.stringify(list);
    if (this.#asked?.origins !== origins) this.#asked = this.#ask(list, origins, this.#asked);
    await this.#asked.taken;
  }

  /** As `apply`. @returns false where the page takes nothing now: its renderer has crashed, or is busy */
  async isTaken(): Promise<boolean> {
    const applied = this.apply().then(
      () => true,
      () => false,
    );
    return (await within(this.#options.clock, TAKEN_MS, applied)) ?? false;
  }

  #ask(list: readonly string[], origins: string, old: Asked | undefined): Asked {
    const { send, sessionId, names, spec, permittedOrigins, log } = this.#options;
    const source = pageScript(names, list, spec);
    const asked = {
      origins,
      taken: send('Page.addScriptToEvaluateOnNewDocument', { source }, sessionId),
    };
    if (old !== undefined) {
      // Also one that the page takes only later.
      old.taken
        .then(({ identifier }) => send('Page.removeScriptToEvaluateOnNewDocument', { identifier }, sessionId))
        .catch((error: Error) => log.debug({ err: error }, 'page is gone'));
      send('Browser.resetPermissions', {}).catch(() => {});
    }
    for (const origin of [...list, ...permittedOrigins()]) void grantPermissions(send, origin, log);
    // One that was refused is asked anew.
    asked.taken.catch(() => {
      if (this.#asked === asked) this.#asked = undefined;
    });
    return asked;
  }
}
