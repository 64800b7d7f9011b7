import type { CameraAccess } from '../rtsp/cameraUrl.ts';

/** No port of the panel, no pinned certificate, no login, TCP for all: for tests of other subjects. */
export const openAccess: CameraAccess = {
  ownPort: () => undefined,
  certificates: { judge: () => 'refused' },
  logins: () => [],
  udpHosts: () => [],
};
