import type { CameraAccess } from '../rtsp/cameraUrl.ts';
import { CameraHabits } from '../rtsp/habits.ts';

/** Nothing learned, no port of the panel, no pinned certificate, no login, TCP for all: for tests of other subjects. */
export const openAccess: CameraAccess = {
  ownPort: () => undefined,
  certificates: { judge: () => 'refused' },
  logins: () => [],
  cameras: () => [],
  udpHosts: () => [],
  oldTlsHosts: () => [],
  habits: new CameraHabits(),
};
