import type { HeadersReceivedResponse, OnHeadersReceivedListenerDetails, Session } from 'electron';
import type { SessionEvents } from './electronEvents.ts';
import { FakeEmitter } from './fakeEmitter.ts';

// Each class implements what the host uses of the real one, by the types of electron.d.ts: a call with other arguments does
// not compile.

type RequestHandler = Parameters<Session['setPermissionRequestHandler']>[0];
type CheckHandler = Parameters<Session['setPermissionCheckHandler']>[0];
type DeviceHandler = Parameters<Session['setDevicePermissionHandler']>[0];
type UsedSession = Pick<
  Session,
  'on' | 'setPermissionRequestHandler' | 'setPermissionCheckHandler' | 'setDevicePermissionHandler'
>;
type HeadersHandler = (
  details: OnHeadersReceivedListenerDetails,
  answer: (response: HeadersReceivedResponse) => void,
) => void;

export class FakeSession extends FakeEmitter<SessionEvents, Session> implements UsedSession {
  request: RequestHandler = null;
  check: CheckHandler = null;
  device: DeviceHandler = null;
  headers: HeadersHandler | undefined;
  readonly webRequest = {
    onHeadersReceived: (_filter: unknown, handler: HeadersHandler) => {
      this.headers = handler;
    },
    onBeforeSendHeaders: () => {},
    onBeforeRedirect: () => {},
  };

  setPermissionRequestHandler(handler: RequestHandler): void {
    this.request = handler;
  }

  setPermissionCheckHandler(handler: CheckHandler): void {
    this.check = handler;
  }

  setDevicePermissionHandler(handler: DeviceHandler): void {
    this.device = handler;
  }

  get real(): Session {
    return this as unknown as Session;
  }
}
