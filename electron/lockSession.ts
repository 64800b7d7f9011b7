import type { Session } from 'electron';
import type { HostPolicy } from '../server/host/host.ts';
import type { Logger } from '../server/observe/log.ts';

/** What a page of a bridge origin may use without being asked; nobody else gets anything. */
const PERMISSIONS = new Set<string>([
  'media',
  'speaker-selection',
  'screen-wake-lock',
  'clipboard-sanitized-write',
  'persistent-storage',
  'fullscreen',
  'local-network-access',
  'local-network',
  'loopback-network',
]);

/** Closes the session: permissions for bridge origins only, no devices, no downloads. */
export function lockSession(session: Session, policy: HostPolicy, log: Logger): void {
  const allows = (permission: string, url: string) =>
    PERMISSIONS.has(permission) && URL.canParse(url) && policy.bridgeOrigins().includes(new URL(url).origin);
  // Both: with one of them alone the other half stays open.
  session.setPermissionRequestHandler((_contents, permission, answer, { isMainFrame, requestingUrl }) =>
    answer(isMainFrame && allows(permission, requestingUrl)),
  );
  session.setPermissionCheckHandler((_contents, permission, origin) => allows(permission, origin));
  session.setDevicePermissionHandler(() => false);
  session.on('will-download', (event) => {
    event.preventDefault();
    log.warn('download refused');
  });
}
