import type { Dispatcher } from '../commands/dispatch.ts';
import { EventBus } from '../observe/eventBus.ts';
import { silentLogger } from '../observe/log.ts';
import type { GuardOptions } from './guard.ts';
import { HttpServer, type HttpServerOptions } from './server.ts';

interface TestServerOptions extends Partial<Omit<HttpServerOptions, 'guard'>> {
  readonly guard?: Partial<GuardOptions>;
}

/**
 * A server for tests, on a free port of loopback: the panel-7, without pages, which no token opens and whose clock stands
 * still, unless `options` say otherwise.
 */
export function testServer(dispatcher: () => Dispatcher, options: TestServerOptions): HttpServer {
  const log = silentLogger();
  return new HttpServer({
    host: '127.0.0.1',
    port: 0,
    version: '1.2.3',
    dispatch: (...call) => dispatcher().dispatch(...call),
    bus: new EventBus(log),
    snapshot: () => ({ gpio: [], power: { state: 'awake' }, serial: [], streams: [], camera: null }),
    pages: { folderOf: () => undefined, hasTypeScript: () => false, isOwn: () => false },
    drain: () => dispatcher().stop(),
    log,
    ...options,
    guard: {
      panelName: 'panel-7',
      token: { matches: () => false },
      allowedOrigins: () => [],
      now: () => 0,
      ...options.guard,
    },
  });
}
