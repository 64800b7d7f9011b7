// A stand-in for the service with nothing to do, in a process of its own: it answers an offer with the same code and sends
// the same packets, behind a bare HTTP server. `node standIn.ts <rtsp url>`; by IPC it says where it takes offers.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { EventBus } from '../../../server/platform/eventBus.ts';
import { silentLogger } from '../../../server/platform/log.ts';
import { nativeMedia } from '../../../server/platform/native/nativeMedia.ts';
import { StreamService } from '../../../server/video/service.ts';
import { openAccess } from '../../../server/video/testing/openAccess.ts';
import { portableDriver } from '../../../server/webrtc/driver.ts';

/** Between two viewers the camera stays connected. */
const LINGER_S = 3_600;

const url = process.argv[2] ?? '';
const log = silentLogger();
const service = new StreamService({
  log,
  bus: new EventBus(log),
  lingerSeconds: () => LINGER_S,
  access: openAccess,
  driver: nativeMedia(portableDriver, log),
});
await service.start();

const server = createServer(async (request, response) => {
  const { signal } = new AbortController();
  // A viewer takes over the place of the one before.
  const { sdp } = await service.open({ id: 'bench', url, sdp: await text(request) }, { signal });
  response.writeHead(200, { 'access-control-allow-origin': '*' }).end(sdp);
});
server.listen(0, '127.0.0.1', () =>
  process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`),
);
