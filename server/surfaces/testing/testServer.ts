import type { Dispatcher } from '../../commands/dispatch.ts';
import { OWNER } from '../../contract/access.ts';
import { systemClock } from '../../platform/clock.ts';
import { EventBus } from '../../platform/eventBus.ts';
import { silentLogger } from '../../platform/log.ts';
import { ResourceScopes } from '../../platform/resourceScopes.ts';
import type { HttpApi } from '../http/api.ts';
import type { GuardOptions } from '../http/guard.ts';
import { HttpServer, type HttpServerOptions } from '../http/server.ts';

interface TestServerOptions extends Partial<Omit<HttpApi, 'guard'>> {
  readonly guard?: Partial<GuardOptions>;
  readonly requestLimitMs?: number;
  /** Other than loopback. */
  readonly host?: string;
}

/** The owner's token and no other. */
export const ownerOnly = (token: string) => (candidate: string) => (candidate === token ? OWNER : undefined);

/** A server that is open as soon as it listens. */
class TestServer extends HttpServer {
  readonly #api: HttpApi;

  constructor(options: HttpServerOptions, api: HttpApi) {
    super(options);
    this.#api = api;
  }

  override async start(): Promise<void> {
    await super.start();
    await this.open(this.#api);
  }
}

/**
 * A server for tests, on a free port of loopback: by default named panel-7, without pages, with no valid token, and with
 * a clock that stands still.
 */
export function testServer(
  dispatcher: () => Dispatcher,
  { guard, requestLimitMs, host = '127.0.0.1', ...api }: TestServerOptions,
): HttpServer {
  const log = silentLogger();
  return new TestServer(
    { host, port: 0, log, ...(requestLimitMs !== undefined && { requestLimitMs }) },
    {
      version: '1.2.3',
      dispatch: (...call) => dispatcher().dispatch(...call),
      bus: new EventBus(log),
      holders: new ResourceScopes(systemClock),
      snapshot: () => ({ gpio: [], power: { state: 'awake' }, serial: [], streams: [], camera: null }),
      pages: {
        folderOf: () => undefined,
        hasTypeScript: () => false,
        isOwn: () => false,
        pictureOf: async () => undefined,
        manage: '/nowhere',
      },
      drain: () => dispatcher().stop(),
      ...api,
      guard: {
        panelName: 'panel-7',
        identify: () => undefined,
        allowedOrigins: () => [],
        now: () => 0,
        ...guard,
      },
    },
  );
}
