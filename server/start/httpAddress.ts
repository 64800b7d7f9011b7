import type { LoadedSettings } from '../config/loadSettings.ts';
import type { UndoneSettings } from '../config/proof/takenBack.ts';
import { isFromOutside, type SettingKey, settingDeclarations } from '../config/settings.ts';
import type { HttpsService } from '../parts/https/service.ts';
import type { Clock } from '../platform/clock.ts';
import { errnoOf, errnoWords } from '../platform/errno.ts';
import { isOpenElsewhere } from '../platform/files/dataFolder.ts';
import type { Logger } from '../platform/log.ts';
import type { AddressSetting, Fallback } from '../surfaces/http/listener.ts';
import { type HttpServer, RETRY_MS } from '../surfaces/http/server.ts';

/** Whether a flag or the environment fixes a setting: then the service follows it, or the start fails with a sentence. */
export function isHeld({ sources }: LoadedSettings, key: SettingKey): boolean {
  return isFromOutside(sources[key]);
}

/**
 * Where the HTTP server listens instead, when it cannot open the address or the port of settings.json. A default that has
 * always been in use has no replacement, and a second service in the same data folder fails to start.
 */
export function httpFallback(loaded: LoadedSettings, undone: UndoneSettings): Fallback & { onMoved(): void } {
  const { settings, sources, start } = loaded;
  const lastOf = <K extends AddressSetting>(key: K) =>
    (start.good.get(key)?.value ?? settingDeclarations[key].default) as (typeof settings)[K];
  const last = { host: lastOf('http.host'), port: lastOf('http.port') };
  const isChoice = (key: AddressSetting) => sources[key] === 'file' || lastOf(key) !== settings[key];
  let told: AddressSetting | undefined;
  return {
    last,
    mayGiveUp: (key) => !isHeld(loaded, key) && isChoice(key) && !isOpenElsewhere(settings.dataDir),
    onMissed: (key, reason) => {
      told = key;
      undone.tell(key, reason);
    },
    isStillWished: () => told !== undefined && undone.has(told),
    onMoved: () => {
      if (told !== undefined) undone.forget([told]);
    },
  };
}

interface HttpsPortOptions {
  readonly loaded: LoadedSettings;
  readonly http: HttpServer;
  readonly https: HttpsService;
  readonly undone: UndoneSettings;
  readonly clock: Clock;
  readonly log: Logger;
  print(line: string): void;
}

/**
 * The port of HTTPS. HTTP works without it, so only the last working port replaces it, and the service retries the wanted
 * one until it opens. If a flag or the environment fixes the port, HTTPS stays off until then.
 */
export class HttpsPort {
  readonly #options: HttpsPortOptions;
  #cancel = (): void => {};

  constructor(options: HttpsPortOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const { loaded, http, https } = this.#options;
    const port = loaded.settings['https.port'];
    if (https.identity === undefined || port === 'off') return;
    await this.#open(port);
    https.onChanged((identity) => http.setIdentity(identity));
    http.onMoved(() => {
      http.closeSecure();
      this.#cancel();
      void this.#open(port);
    });
  }

  async stop(): Promise<void> {
    this.#cancel();
  }

  async #open(port: number): Promise<void> {
    const { loaded, undone, log } = this.#options;
    try {
      await this.#openAt(port);
    } catch (error) {
      log.error({ err: error, port }, 'https: could not open the port, HTTPS stays off');
      if (isHeld(loaded, 'https.port')) return;
      undone.tell('https.port', `cannot be opened: ${errnoWords(errnoOf(error) ?? '')}`);
      const last = loaded.start.good.get('https.port')?.value;
      if (typeof last === 'number' && last !== port)
        await this.#openAt(last).catch((failure: unknown) =>
          log.info({ err: failure, port: last }, 'https: could not open the previous port'),
        );
      this.#retryLater(port);
    }
  }

  #retryLater(port: number): void {
    const { undone, clock } = this.#options;
    this.#cancel = clock.after(RETRY_MS, () => {
      // The setting has changed: the next start uses the new value.
      if (!undone.has('https.port')) return;
      this.#openAt(port).then(
        () => undone.forget(['https.port']),
        () => this.#retryLater(port),
      );
    });
  }

  async #openAt(port: number): Promise<void> {
    const { http, https, print } = this.#options;
    await http.openSecure(port, https.identity!);
    print(`faceplate https ${http.securePort}`);
  }
}
